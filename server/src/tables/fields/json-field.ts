import { type BoundedField, type BoundedTextList, FIELD_BOUNDS } from "@swarmbase/sdk";
import { isRecord, isTooDeep, readJson, TOO_DEEP } from "../../json/index.ts";
import { type Fault, FINE, type Field, fault, field, type Row, type Value } from "./field.ts";
import { findUnstorableText, trimmedText } from "./text-field.ts";

/** `bounds` is the number of bytes, or the name of the field that has it. */
export function jsonObject(bounds: BoundedField | number, more: (value: Row) => readonly Fault[] = () => FINE): Field {
  const max = typeof bounds === "number" ? bounds : FIELD_BOUNDS[bounds].max;
  return field((value) => {
    if (!isRecord(value))
      return fault(typeof value === "string" && isTooDeep(value) ? TOO_DEEP : "must be a JSON object");
    const unstorable = findUnstorableJson(value);
    if (unstorable !== null) return fault(unstorable);
    if (measureJson(value) > max) return fault(`must be at most ${max} bytes of JSON`);
    return more(value);
  }, readJsonText);
}

/** A column that the service manages: what a client sends has no effect. */
export function anyJson(): Field {
  return field(() => FINE, readJsonText);
}

/** Invalid or too deeply nested JSON stays a text. */
function readJsonText(text: string): Value {
  const read = readJson(text);
  return read.fault === null ? (read.value as Value) : text;
}

export function list(check: (items: readonly Value[]) => readonly Fault[]): Field {
  return field(
    (value) => (Array.isArray(value) ? check(value) : fault("must be an array")),
    // An array literal of PostgreSQL.
    () => undefined,
  );
}

/** Each text is trimmed before it is stored and measured. */
export function textList(bounds: BoundedTextList): Field {
  const { maxItems } = FIELD_BOUNDS[bounds];
  const item = trimmedText(bounds);
  return list((items) => {
    if (items.length > maxItems) return fault(`must have at most ${maxItems} entries`);
    const found = items.flatMap((value) => (value === null ? fault("must be a string") : item.check(value)))[0];
    return found === undefined ? FINE : fault(`has an entry that ${found.message}`);
  });
}

/**
 * Bytes of the text that the database measures, with a space after each comma and colon. Numbers may be longer there than in
 * JavaScript, so the database may still reject a value, but nothing is rejected only here.
 */
export function measureJson(value: Value): number {
  if (Array.isArray(value)) return sum(value.map(measureJson)) + separatorBytes(value.length) + 2;
  if (!isRecord(value)) return Buffer.byteLength(JSON.stringify(value));
  const entries = Object.entries(value);
  const members = entries.map(([key, inner]) => Buffer.byteLength(JSON.stringify(key)) + 2 + measureJson(inner));
  return sum(members) + separatorBytes(entries.length) + 2;
}

function separatorBytes(items: number): number {
  return 2 * Math.max(0, items - 1);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, next) => total + next, 0);
}

function findUnstorableJson(value: Value): string | null {
  if (typeof value === "string") return findUnstorableText(value);
  if (typeof value !== "object" || value === null) return null;
  for (const [key, inner] of Object.entries(value)) {
    const found = findUnstorableText(key) ?? findUnstorableJson(inner);
    if (found !== null) return found;
  }
  return null;
}
