import { AppError } from "swarmbase/extension";
import type { TableColumn } from "./describe-table.ts";
import type { Value } from "./values.ts";

/** A spreadsheet takes a cell that begins with one of these for a formula. A text that looks escaped is escaped once more. */
const FORMULA = /^'*[=+\-@\t\r]/;
const ESCAPED_FORMULA = /^'(?='*[=+\-@\t\r])/;
const PLAIN_NUMBER = /^-?\d+(?:\.\d+)?$/;
const NEEDS_QUOTES = /[",\r\n]/;

export function renderCsvHeader(columns: readonly TableColumn[]): string {
  return `${columns.map(({ name }) => quoteCell(guard(name))).join(",")}\r\n`;
}

/** Null is an empty cell, an empty text has quotes. A text that would be a formula begins with an apostrophe. */
export function renderCsvRow(columns: readonly TableColumn[], row: Readonly<Record<string, Value>>): string {
  const cells = columns.map(({ name }) => {
    const value = row[name] ?? null;
    if (value === null) return "";
    return value === "" ? '""' : quoteCell(guard(value));
  });
  return `${cells.join(",")}\r\n`;
}

function guard(text: string): string {
  return FORMULA.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text;
}

function quoteCell(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The lines of a CSV (RFC 4180), the header first; the apostrophe before a formula is removed. */
export function parseCsv(text: string): readonly (readonly Value[])[] {
  const lines: Value[][] = [];
  let line: Value[] = [];
  let position = text.startsWith("\ufeff") ? 1 : 0;
  while (position < text.length) {
    const cell = text[position] === '"' ? takeQuoted(text, position) : takePlain(text, position);
    line.push(cell.value === null ? null : cell.value.replace(ESCAPED_FORMULA, ""));
    position = cell.end;
    const next = text[position];
    if (next === ",") {
      position += 1;
      // A comma at the end of the text is followed by an empty cell.
      if (position === text.length) line.push(null);
      continue;
    }
    position += text.startsWith("\r\n", position) ? 2 : 1;
    if (line.length > 1 || line[0] !== null) lines.push(line);
    line = [];
  }
  if (line.length > 0) lines.push(line);
  return lines;
}

interface Cell {
  readonly value: Value;
  readonly end: number;
}

function takePlain(text: string, start: number): Cell {
  const match = /[,\r\n]/g;
  match.lastIndex = start;
  const end = match.exec(text)?.index ?? text.length;
  return { value: end === start ? null : text.slice(start, end), end };
}

function takeQuoted(text: string, start: number): Cell {
  let value = "";
  let position = start + 1;
  for (;;) {
    const quote = text.indexOf('"', position);
    if (quote === -1) throw invalidCsv("a quoted cell does not end");
    value += text.slice(position, quote);
    if (text[quote + 1] !== '"') {
      const after = text[quote + 1];
      if (after !== undefined && !/[,\r\n]/.test(after)) throw invalidCsv("there is text after a closing quote");
      return { value, end: quote + 1 };
    }
    value += '"';
    position = quote + 2;
  }
}

export function invalidCsv(reason: string): AppError {
  return new AppError("VALIDATION_ERROR", `The CSV is invalid: ${reason}`);
}
