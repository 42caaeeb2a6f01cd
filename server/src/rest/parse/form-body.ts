import { restError } from "../rest-error.ts";
import { decodeFormText, decodeUtf8 } from "./decode-text.ts";
import type { ArgumentPair, FormBody, JsonObject, RowsBody } from "./parsed-request.ts";

/** A form for a table is one row of texts. The last value of a repeated name counts. */
export function parseFormRow(bytes: Buffer): RowsBody {
  const row: JsonObject = Object.fromEntries(parsePairs(bytes));
  const text = JSON.stringify(row);
  return { kind: "rows", source: "form", text, isArray: false, rows: [row], keys: Object.keys(row) };
}

export function parseFormArguments(bytes: Buffer): FormBody {
  return { kind: "form", pairs: parsePairs(bytes) };
}

function parsePairs(bytes: Buffer): ArgumentPair[] {
  const text = decodeUtf8(bytes);
  if (text === null) throw invalidFormError();
  return text
    .split("&")
    .filter((part) => part !== "")
    .map(parsePair);
}

function parsePair(part: string): ArgumentPair {
  const equals = part.indexOf("=");
  const name = decodeFormText(equals === -1 ? part : part.slice(0, equals));
  const value = equals === -1 ? "" : decodeFormText(part.slice(equals + 1));
  if (name === null || value === null) throw invalidFormError();
  return [name, value];
}

function invalidFormError(): Error {
  return restError("PGRST102", "Invalid form: not percent-encoded UTF-8");
}
