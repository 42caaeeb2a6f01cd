import { isRecord, type JsonRecord } from "../../json/index.ts";
import { countValues, isShallow } from "./json-size.ts";

const MAX_CHARS = 65_536;
const MAX_VALUES = 5_000;
const MAX_DEPTH = 32;
const NOT_JSON = "is not valid JSON";

type ReadInput = { readonly ok: true; readonly input: JsonRecord } | { readonly ok: false; readonly fault: string };

/** A fault follows the name of the value. */
type ReadValue = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly fault: string };

/** Parses the arguments that a model wrote for a call. An empty text means no arguments. */
export function readInput(text: string): ReadInput {
  if (text.trim() === "") return { ok: true, input: {} };
  const read = readValue(text);
  const mustBeObject: ReadInput = { ok: false, fault: "The input must be a JSON object." };
  if (!read.ok) return read.fault === NOT_JSON ? mustBeObject : { ok: false, fault: `The input ${read.fault}.` };
  return isRecord(read.value) ? { ok: true, input: read.value } : mustBeObject;
}

/** Parses JSON that a model wrote. The database can store the value. */
export function readValue(text: string): ReadValue {
  if (text.length > MAX_CHARS) return reject(`has more than ${MAX_CHARS} characters`);
  const value = parse(text);
  if (value === undefined) return reject(NOT_JSON);
  if (!isShallow(value, MAX_DEPTH)) return reject(`is nested deeper than ${MAX_DEPTH} levels`);
  if (countValues(value) > MAX_VALUES) return reject(`has more than ${MAX_VALUES} values`);
  if (hasInfiniteNumber(value)) return reject("has a number that is too large");
  if (hasUnstorableName(value)) return reject("has a name with a character that cannot be stored");
  return { ok: true, value };
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

/** A number like 1e400 is read as infinite and would be written as null. */
function hasInfiniteNumber(value: unknown): boolean {
  if (typeof value === "number") return !Number.isFinite(value);
  return typeof value === "object" && value !== null && Object.values(value).some(hasInfiniteNumber);
}

function hasUnstorableName(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(
    ([name, inner]) => name.includes("\0") || !name.isWellFormed() || hasUnstorableName(inner),
  );
}

function reject(fault: string): ReadValue {
  return { ok: false, fault };
}
