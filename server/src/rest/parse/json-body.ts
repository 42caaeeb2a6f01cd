import { isRecord, readJson, TOO_DEEP } from "../../json/index.ts";
import { restError } from "../rest-error.ts";
import { decodeUtf8 } from "./decode-text.ts";
import type { JsonBody, JsonObject, JsonValue, RowsBody } from "./parsed-request.ts";

const NO_ROWS: RowsBody = { kind: "rows", source: "json", text: "[]", isArray: true, rows: [], keys: [] };
const BYTE_ORDER_MARK = "\ufeff";

/** Parses a body for a table: an object or a list of objects. A scalar counts as an empty list. */
export function parseJsonRows(bytes: Buffer, columns: readonly string[] | null): RowsBody {
  const { text, value } = parseJson(bytes);
  if (!Array.isArray(value)) return isRecord(value) ? oneRow(text, value) : NO_ROWS;
  const [first] = value;
  if (first === undefined) return NO_ROWS;
  const rows = value.filter((row) => isRecord(row));
  const keys = isRecord(first) ? Object.keys(first) : [];
  if (rows.length < value.length || (columns === null && !haveKeys(rows, keys))) {
    throw restError("PGRST102", "All object keys must match");
  }
  return { kind: "rows", source: "json", text, isArray: true, rows, keys };
}

/** Parses a body for a function: an object contains named arguments, anything else is one argument. */
export function parseJsonArguments(bytes: Buffer): RowsBody | JsonBody {
  if (bytes.length === 0) return oneRow("{}", {});
  const { text, value } = parseJson(bytes);
  return isRecord(value) ? oneRow(text, value) : { kind: "json", text };
}

function parseJson(bytes: Buffer): { text: string; value: JsonValue } {
  const decoded = decodeUtf8(bytes);
  if (decoded === null) throw invalidJsonError();
  // PostgreSQL does not accept a byte order mark.
  const text = decoded.startsWith(BYTE_ORDER_MARK) ? decoded.slice(1) : decoded;
  const read = readJson(text);
  if (read.fault === null) return { text, value: read.value as JsonValue };
  throw read.fault === TOO_DEEP ? restError("PGRST102", `The JSON body ${TOO_DEEP}`) : invalidJsonError();
}

function invalidJsonError(): Error {
  return restError("PGRST102", "Empty or invalid json");
}

function oneRow(text: string, row: JsonObject): RowsBody {
  return { kind: "rows", source: "json", text, isArray: false, rows: [row], keys: Object.keys(row) };
}

function haveKeys(rows: readonly JsonObject[], keys: readonly string[]): boolean {
  return rows.every((row) => Object.keys(row).length === keys.length && keys.every((key) => Object.hasOwn(row, key)));
}
