import type { AppError } from "../../errors/index.ts";
import { restError } from "../rest-error.ts";
import { BOUNDS } from "./bounds.ts";
import { decodeUtf8 } from "./decode-text.ts";
import type { JsonObject, RowsBody } from "./parsed-request.ts";
import { createScanner, isAtEnd, peek, type Scanner, take, takePattern } from "./scanner.ts";

const PLAIN = /[^,\r\n]*/y;
const UNQUOTED = /[^"]+/y;
const LINE_END = /\r\n|\n|\r/y;
const BYTE_ORDER_MARK = "\ufeff";

/** A header line and rows of text. An unquoted NULL is null. */
export function parseCsvRows(bytes: Buffer): RowsBody {
  const text = decodeUtf8(bytes);
  if (text === null) throw csvError("Invalid csv: not UTF-8");
  const scanner = createScanner("csv", text);
  take(scanner, BYTE_ORDER_MARK);
  skipEmptyLines(scanner);
  if (isAtEnd(scanner)) throw csvError("Empty or invalid csv");

  const keys = parseHeader(scanner);
  const rows: JsonObject[] = [];
  for (skipEmptyLines(scanner); !isAtEnd(scanner); skipEmptyLines(scanner)) {
    const values = parseLine(scanner);
    if (values.length !== keys.length) throw csvError("All lines must have same number of fields");
    rows.push(Object.fromEntries(keys.map((key, index) => [key, values[index] ?? null])));
  }
  return { kind: "rows", source: "csv", text: JSON.stringify(rows), isArray: true, rows, keys };
}

/** Names repeat in the object of every line, so a long one would multiply the body. */
function parseHeader(scanner: Scanner): string[] {
  const names = parseLine(scanner).map((name) => name ?? "NULL");
  if (names.some((name) => Buffer.byteLength(name) > BOUNDS.csvColumnNameBytes)) {
    throw csvError(`Invalid csv: a column name is longer than ${BOUNDS.csvColumnNameBytes} bytes`);
  }
  if (new Set(names).size < names.length) throw csvError("Invalid csv: a column name is repeated");
  return names;
}

function parseLine(scanner: Scanner): (string | null)[] {
  const values = [parseValue(scanner)];
  while (take(scanner, ",")) values.push(parseValue(scanner));
  if (takePattern(scanner, LINE_END) === null && !isAtEnd(scanner)) {
    throw csvError("Invalid csv: text after a closing quote");
  }
  return values;
}

function parseValue(scanner: Scanner): string | null {
  if (take(scanner, '"')) return parseQuotedValue(scanner);
  const value = takePattern(scanner, PLAIN) ?? "";
  return value === "NULL" ? null : value;
}

function parseQuotedValue(scanner: Scanner): string {
  let value = "";
  while (!isAtEnd(scanner)) {
    value += takePattern(scanner, UNQUOTED) ?? "";
    if (take(scanner, '""')) value += '"';
    else if (take(scanner, '"')) return value;
  }
  throw csvError("Invalid csv: a quote is not closed");
}

function skipEmptyLines(scanner: Scanner): void {
  for (let next = peek(scanner); next === "\n" || next === "\r"; next = peek(scanner)) scanner.position += 1;
}

function csvError(message: string): AppError {
  return restError("PGRST102", message);
}
