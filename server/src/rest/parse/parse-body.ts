import { AppError } from "../../errors/index.ts";
import { isRecord, readJson, TOO_DEEP } from "../../json/index.ts";
import { restError } from "../rest-error.ts";
import { decodeFormText, decodeUtf8 } from "./decode-text.ts";
import { parseMediaType } from "./media-type.ts";
import { parseCsvRows } from "./parse-csv-rows.ts";
import type {
  ArgumentPair,
  FormBody,
  JsonBody,
  JsonObject,
  JsonValue,
  Method,
  ParsedBody,
  RequestTarget,
  RowsBody,
} from "./parsed-request.ts";

const NO_ROWS: RowsBody = { kind: "rows", source: "json", text: "[]", isArray: true, rows: [], keys: [] };

const BYTE_ORDER_MARK = "\ufeff";

interface BodyInput {
  readonly target: RequestTarget;
  readonly method: Method;
  readonly bytes: Buffer;
  readonly contentType: string | null;
  readonly columns: readonly string[] | null;
}

const NO_BODY: ParsedBody = { kind: "none" };

/** Parses the body if the method has one; ignores it otherwise. */
export function parseBody({ target, method, bytes, contentType, columns }: BodyInput): ParsedBody {
  const isCall = target.kind === "rpc";
  const isChange = !isCall && (method === "PATCH" || method === "PUT");
  if (method !== "POST" && !isChange) return NO_BODY;
  const isUsual = contentType === null || contentType.trim() === "";
  const type = isUsual ? "application/json" : parseMediaType(contentType).type;
  switch (type) {
    case "application/json":
      return isCall ? parseJsonArguments(bytes) : parseJsonRows(bytes, method === "PUT" ? null : columns);
    case "text/csv":
      return parseCsvRows(bytes);
    case "application/x-www-form-urlencoded":
      return isCall ? parseFormArguments(bytes) : parseFormRow(bytes);
    case "text/plain":
    case "text/xml":
    case "application/octet-stream":
      if (isCall) return { kind: "raw", type, bytes };
      break;
    default:
      break;
  }
  throw new AppError("UNSUPPORTED_MEDIA_TYPE", `Content-Type not acceptable: ${contentType ?? ""}`, {
    upstreamCode: "PGRST102",
  });
}

/** A form for a table is one row of texts. The last value of a repeated name counts. */
function parseFormRow(bytes: Buffer): RowsBody {
  const row: JsonObject = Object.fromEntries(parsePairs(bytes));
  const text = JSON.stringify(row);
  return { kind: "rows", source: "form", text, isArray: false, rows: [row], keys: Object.keys(row) };
}

function parseFormArguments(bytes: Buffer): FormBody {
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

/** Parses a body for a table: an object or a list of objects. A scalar counts as an empty list. */
function parseJsonRows(bytes: Buffer, columns: readonly string[] | null): RowsBody {
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
function parseJsonArguments(bytes: Buffer): RowsBody | JsonBody {
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
