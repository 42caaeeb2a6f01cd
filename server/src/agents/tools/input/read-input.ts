import { isRecord, type JsonRecord } from "../../../json/index.ts";
import { isShallow } from "../output/is-shallow.ts";

const MAX_INPUT_CHARS = 65_536;
const MAX_INPUT_VALUES = 5_000;
const MAX_INPUT_DEPTH = 32;

export type ReadInput =
  | { readonly ok: true; readonly input: JsonRecord }
  | { readonly ok: false; readonly fault: string };

/** What a model wrote as the arguments of a call. Nothing at all is no arguments. */
export function readInput(text: string): ReadInput {
  if (text.length > MAX_INPUT_CHARS) return refuse(`The input has more than ${MAX_INPUT_CHARS} characters.`);
  if (text.trim() === "") return { ok: true, input: {} };
  const input = parse(text);
  if (!isRecord(input)) return refuse("The input must be a JSON object.");
  if (!isShallow(input, MAX_INPUT_DEPTH)) return refuse(`The input is nested deeper than ${MAX_INPUT_DEPTH} levels.`);
  if (countValues(input) > MAX_INPUT_VALUES) return refuse(`The input has more than ${MAX_INPUT_VALUES} values.`);
  if (hasUnstorableName(input)) return refuse("A name in the input has a character that cannot be kept.");
  return { ok: true, input };
}

function parse(text: string): unknown {
  try {
    // A database holds neither of them.
    return JSON.parse(text, (_name, value: unknown) =>
      typeof value === "string" ? value.replaceAll("\0", "").toWellFormed() : value,
    );
  } catch {
    return undefined;
  }
}

function countValues(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  let count = 1;
  for (const inner of Object.values(value)) count += countValues(inner);
  return count;
}

function hasUnstorableName(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(
    ([name, inner]) => name.includes("\0") || !name.isWellFormed() || hasUnstorableName(inner),
  );
}

function refuse(fault: string): ReadInput {
  return { ok: false, fault };
}
