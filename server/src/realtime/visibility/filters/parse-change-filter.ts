import { AppError } from "../../../errors/index.ts";
import {
  IS_STATES,
  isOperator,
  isState,
  OPERATORS,
  type Operator,
  REALTIME_OPERATORS,
  toPattern,
} from "../../../operators/index.ts";

export interface FilterTerm {
  readonly column: string;
  readonly isNegated: boolean;
  readonly operator: Operator;
  /** One, except of a list. Patterns are LIKE patterns, states are in lower case. */
  readonly values: readonly string[];
}

const MAX_TERMS = 20;
const MAX_VALUES = 100;

/** Parses `col=[not.]op.value`, with commas for AND. An empty text has no conditions. */
export function parseChangeFilter(text: string): FilterTerm[] {
  if (text === "") return [];
  if (text.includes("\0")) throw invalidFilter(text, "it contains a NUL character");
  const terms: FilterTerm[] = [];
  let index = 0;
  for (;;) {
    const { term, end } = readTerm(text, index);
    terms.push(term);
    if (terms.length > MAX_TERMS) throw invalidFilter(text, `it has more than ${MAX_TERMS} conditions`);
    if (end === text.length) return terms;
    index = end + 1;
  }
}

function readTerm(text: string, from: number): { term: FilterTerm; end: number } {
  const equals = text.indexOf("=", from);
  const column = equals === -1 ? "" : text.slice(from, equals).trim();
  if (column === "" || /[,()]/.test(column)) throw invalidFilter(text, "a condition looks like column=operator.value");
  const match = /^(not\.)?([a-z]+)\./.exec(text.slice(equals + 1));
  const operator = match?.[2] ?? "";
  if (match === null || !isOperator(operator) || !REALTIME_OPERATORS.includes(operator))
    throw invalidFilter(text, `the operator is not one of ${REALTIME_OPERATORS.join(", ")}`);
  const { values, end } = readOperands(text, equals + 1 + match[0].length, operator);
  return { term: { column, isNegated: match[1] !== undefined, operator, values }, end };
}

interface ReadOperands {
  readonly values: readonly string[];
  readonly end: number;
}

function readOperands(text: string, from: number, operator: Operator): ReadOperands {
  const { operand } = OPERATORS[operator];
  if (operand === "list") return readList(text, from);
  const { value, end } = readValue(text, from, ",");
  switch (operand) {
    case "pattern":
      return { values: [toPattern(value)], end };
    case "state": {
      const state = value.toLowerCase();
      if (isState(state)) return { values: [state], end };
      throw invalidFilter(text, `${operator} takes one of ${Object.keys(IS_STATES).join(", ")}`);
    }
    default:
      return { values: [value], end };
  }
}

function readList(text: string, from: number): ReadOperands {
  if (text[from] !== "(") throw invalidFilter(text, "in takes a list such as (a,b)");
  const values: string[] = [];
  let end = from + 1;
  if (text[end] !== ")") {
    for (;;) {
      const element = readValue(text, end, ",)");
      if (element.end === text.length) throw invalidFilter(text, "a list has no end");
      values.push(element.value);
      if (values.length > MAX_VALUES) throw invalidFilter(text, `a list has more than ${MAX_VALUES} values`);
      end = element.end;
      if (text[end] === ")") break;
      end += 1;
    }
  }
  end += 1;
  if (end < text.length && text[end] !== ",") throw invalidFilter(text, "something follows a list");
  return { values, end };
}

/** In double quotes, where a backslash takes the next character literally, or up to one of the characters in `ends`. */
function readValue(text: string, from: number, ends: string): { value: string; end: number } {
  if (text[from] !== '"') {
    let end = from;
    while (end < text.length && !ends.includes(text[end] ?? "")) end += 1;
    return { value: text.slice(from, end), end };
  }
  let value = "";
  for (let index = from + 1; index < text.length; index += 1) {
    const character = text[index] ?? "";
    if (character === '"') {
      const end = index + 1;
      if (end < text.length && !ends.includes(text[end] ?? ""))
        throw invalidFilter(text, "something follows a quoted value");
      return { value, end };
    }
    if (character === "\\") index += 1;
    value += text[index] ?? "";
  }
  throw invalidFilter(text, "a quoted value has no end");
}

function invalidFilter(text: string, reason: string): AppError {
  return new AppError("VALIDATION_ERROR", `The filter ${JSON.stringify(text)} cannot be used: ${reason}`);
}
