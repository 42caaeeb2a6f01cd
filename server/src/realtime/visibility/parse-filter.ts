import { AppError } from "../../errors/index.ts";

export const FILTER_OPERATORS = [
  "eq",
  "neq",
  "lt",
  "lte",
  "gt",
  "gte",
  "in",
  "like",
  "ilike",
  "is",
  "match",
  "imatch",
  "isdistinct",
] as const;
export type FilterOperator = (typeof FILTER_OPERATORS)[number];

export interface FilterTerm {
  readonly column: string;
  readonly isNegated: boolean;
  readonly operator: FilterOperator;
  /** One, but for `in`. */
  readonly values: readonly string[];
}

const MAX_TERMS = 20;
const MAX_VALUES = 100;
const IS_VALUES = new Set(["null", "true", "false", "unknown"]);

/** `col=[not.]op.value`, joined by commas that mean AND. An empty text is no condition. */
export function parseFilter(text: string): FilterTerm[] {
  if (text === "") return [];
  const terms: FilterTerm[] = [];
  let at = 0;
  for (;;) {
    const term = readTerm(text, at);
    terms.push(term.term);
    if (terms.length > MAX_TERMS) throw refuse(text, `it has more than ${MAX_TERMS} conditions`);
    at = term.end;
    if (at === text.length) return terms;
    at += 1;
  }
}

function readTerm(text: string, from: number): { term: FilterTerm; end: number } {
  const equals = text.indexOf("=", from);
  const column = equals === -1 ? "" : text.slice(from, equals).trim();
  if (column === "" || /[,()]/.test(column)) throw refuse(text, "a condition looks like column=operator.value");
  const match = /^(not\.)?([a-z]+)\./.exec(text.slice(equals + 1));
  const operator = FILTER_OPERATORS.find((name) => name === match?.[2]);
  if (match === null || operator === undefined)
    throw refuse(text, `the operator is not one of ${FILTER_OPERATORS.join(", ")}`);
  const start = equals + 1 + match[0].length;
  const { values, end } = operator === "in" ? readList(text, start) : readOne(text, start);
  if (operator === "is" && !IS_VALUES.has((values[0] ?? "").toLowerCase()))
    throw refuse(text, `is takes one of ${[...IS_VALUES].join(", ")}`);
  return { term: { column, isNegated: match[1] !== undefined, operator, values }, end };
}

function readOne(text: string, from: number): { values: string[]; end: number } {
  const { value, end } = readValue(text, from, ",");
  return { values: [value], end };
}

function readList(text: string, from: number): { values: string[]; end: number } {
  if (text[from] !== "(") throw refuse(text, "in takes a list such as (a,b)");
  const values: string[] = [];
  let at = from + 1;
  while (text[at] !== ")") {
    const { value, end } = readValue(text, at, ",)");
    if (end === text.length) throw refuse(text, "a list has no end");
    values.push(value);
    if (values.length > MAX_VALUES) throw refuse(text, `a list has more than ${MAX_VALUES} values`);
    at = text[end] === "," ? end + 1 : end;
  }
  const end = at + 1;
  if (end < text.length && text[end] !== ",") throw refuse(text, "something follows a list");
  return { values, end };
}

/** Quoted, with backslashes before quotes and themselves, or up to one of the letters that end it. */
function readValue(text: string, from: number, ends: string): { value: string; end: number } {
  if (text[from] !== '"') {
    let end = from;
    while (end < text.length && !ends.includes(text[end] ?? "")) end += 1;
    return { value: text.slice(from, end), end };
  }
  let value = "";
  for (let at = from + 1; at < text.length; at += 1) {
    const letter = text[at] ?? "";
    if (letter === '"') {
      const end = at + 1;
      if (end < text.length && !ends.includes(text[end] ?? "")) throw refuse(text, "something follows a quoted value");
      return { value, end };
    }
    if (letter === "\\") at += 1;
    value += text[at] ?? "";
  }
  throw refuse(text, "a quoted value has no end");
}

function refuse(text: string, reason: string): AppError {
  return new AppError("VALIDATION_ERROR", `The filter ${JSON.stringify(text)} cannot be used: ${reason}`);
}
