import { isRecord, maskUrls } from "swarmbase/extension";
import { exactNumber, isExactNumber, parseExactJson } from "../exact-number.ts";
import { invalidField } from "../read-input.ts";
import { findMask } from "./core-columns.ts";
import type { Table, TableColumn } from "./describe-table.ts";

/** A value as operators read and write it: text, so that no digit is lost. */
export type Value = string | null;

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Arrays are JSON here; the database casts everything else to text. */
export function selectItem({ name, category }: TableColumn): string {
  return category === "array" || category === "composite" ? quoteName(name) : `${quoteName(name)}::text`;
}

/** A value of a response. */
export function showValue(table: Table, column: TableColumn, value: unknown): Value {
  if (value === null || value === undefined) return null;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const mask = findMask(table, column.name);
  if (mask === null) return text;
  return column.category === "jsonb" ? JSON.stringify(maskJson(parseExactJson(text), mask)) : maskUrls(text);
}

function maskJson(value: unknown, mask: readonly string[]): unknown {
  if (typeof value === "string") return maskUrls(value);
  if (Array.isArray(value)) return value.map((item) => maskJson(item, mask));
  if (!isRecord(value) || isExactNumber(value)) return value;
  const shown = Object.entries(value).filter(([name]) => !mask.includes(name));
  return Object.fromEntries(shown.map(([name, member]) => [name, maskJson(member, mask)]));
}

/** The value for the body of a write. */
export function parseValue({ name, category }: TableColumn, value: Value): unknown {
  if (value === null) return null;
  switch (category) {
    case "number":
      // NaN and Infinity are numbers of PostgreSQL and not of JSON.
      return NUMBER.test(value) ? exactNumber(value) : value;
    case "boolean":
      if (!/^(?:true|false|t|f)$/i.test(value)) throw invalidField(name, "must be true or false");
      return /^t/i.test(value);
    case "array":
    case "composite":
    case "json":
    case "jsonb":
      try {
        return parseExactJson(value);
      } catch {
        throw invalidField(name, "must be JSON");
      }
    default:
      return value;
  }
}

/** The condition that a column still has a value. */
export function renderSame(column: TableColumn, value: Value): string {
  if (value === null) return `${quoteName(column.name)}.is.null`;
  const text = column.category === "array" ? toArrayLiteral(parseValue(column, value)) : value;
  return `${quoteName(column.name)}.eq.${quoteText(text)}`;
}

/** `["a", null]` as PostgreSQL writes it: `{"a",NULL}`. */
function toArrayLiteral(value: unknown): string {
  if (value === null) return "NULL";
  if (Array.isArray(value)) return `{${value.map(toArrayLiteral).join(",")}}`;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}

/** A name in a query of `/rest/v1`, which quotes it for PostgreSQL. */
export function quoteName(name: string): string {
  return quoteText(name);
}

/** A value within `and=(…)`, which becomes a parameter of the statement. */
export function quoteText(text: string): string {
  return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}
