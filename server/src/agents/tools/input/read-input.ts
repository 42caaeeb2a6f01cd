import { isRecord, type JsonRecord } from "../../../json/index.ts";
import { countValues, isShallow } from "./json-size.ts";

const MAX_INPUT_CHARS = 65_536;
const MAX_INPUT_VALUES = 5_000;
const MAX_INPUT_DEPTH = 32;

export type ReadInput =
  | { readonly ok: true; readonly input: JsonRecord }
  | { readonly ok: false; readonly fault: string };

/** Parses the arguments that a model wrote for a call. An empty text means no arguments. */
export function readInput(text: string): ReadInput {
  if (text.length > MAX_INPUT_CHARS) return reject(`The input has more than ${MAX_INPUT_CHARS} characters.`);
  if (text.trim() === "") return { ok: true, input: {} };
  const input = parse(text);
  if (!isRecord(input)) return reject("The input must be a JSON object.");
  if (!isShallow(input, MAX_INPUT_DEPTH)) return reject(`The input is nested deeper than ${MAX_INPUT_DEPTH} levels.`);
  if (countValues(input) > MAX_INPUT_VALUES) return reject(`The input has more than ${MAX_INPUT_VALUES} values.`);
  if (hasUnstorableName(input)) return reject("A name in the input has a character that cannot be stored.");
  return { ok: true, input };
}

function parse(text: string): unknown {
  try {
    // PostgreSQL stores neither null characters nor lone surrogates.
    return JSON.parse(text, (_name, value: unknown) =>
      typeof value === "string" ? value.replaceAll("\0", "").toWellFormed() : value,
    );
  } catch {
    return undefined;
  }
}

function hasUnstorableName(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(
    ([name, inner]) => name.includes("\0") || !name.isWellFormed() || hasUnstorableName(inner),
  );
}

function reject(fault: string): ReadInput {
  return { ok: false, fault };
}
