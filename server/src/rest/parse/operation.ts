import { isOperator, type IsState, isState, OPERATORS, type Operator, type Quantifier } from "../../operators/index.ts";
import { BOUNDS } from "./bounds.ts";
import { parseIdentifier, takeQuoted } from "./names.ts";
import type { Operation } from "./parsed-request.ts";
import { expect, fail, isAtEnd, peek, reject, type Scanner, skipBlanks, take, takePattern } from "./scanner.ts";

/** Parses an operand, whose end differs between a logic tree and a query parameter. */
type ParseValue = (scanner: Scanner) => string;

const WORD = /[a-z]+/y;
const STATE_WORD = /[a-z_]+/iy;
const LIST_ELEMENT = /[^,)]*/y;

export function parseOperation(scanner: Scanner, parseValue: ParseValue): Operation {
  const isNegated = take(scanner, "not.");
  const operator = parseOperator(scanner, isNegated);
  const { operand, isQuantifiable } = OPERATORS[operator];
  const quantifier = isQuantifiable ? parseQuantifier(scanner) : null;
  const config = operand === "search" ? parseConfig(scanner) : null;
  expect(scanner, ".", "delimiter (.)");
  const parseOperand = operand === "list" ? parseList : operand === "state" ? parseState : parseValue;
  return { operator, isNegated, quantifier, config, value: parseOperand(scanner) };
}

/** The operand of a query parameter: the rest of the text. */
export function parseWholeValue(scanner: Scanner): string {
  const value = scanner.text.slice(scanner.position);
  scanner.position = scanner.text.length;
  return value;
}

function parseOperator(scanner: Scanner, isNegated: boolean): Operator {
  const start = scanner.position;
  const word = takePattern(scanner, WORD);
  if (word !== null && isOperator(word)) return word;
  scanner.position = start;
  return fail(scanner, isNegated ? "operator (eq, gt, ...)" : '"not" or operator (eq, gt, ...)');
}

function parseQuantifier(scanner: Scanner): Quantifier | null {
  if (!take(scanner, "(")) return null;
  if (take(scanner, "any)")) return "any";
  return take(scanner, "all)") ? "all" : fail(scanner, '"any)" or "all)"');
}

function parseConfig(scanner: Scanner): string | null {
  if (!take(scanner, "(")) return null;
  const config = parseIdentifier(scanner);
  expect(scanner, ")");
  return config;
}

function parseState(scanner: Scanner): IsState {
  const start = scanner.position;
  const word = takePattern(scanner, STATE_WORD)?.toLowerCase() ?? "";
  if (isState(word)) return word;
  scanner.position = start;
  return fail(scanner, "isVal: (null, not_null, true, false, unknown)");
}

function parseList(scanner: Scanner): string[] {
  skipBlanks(scanner);
  expect(scanner, "(");
  const elements: string[] = [];
  skipBlanks(scanner);
  if (!take(scanner, ")")) {
    do {
      if (elements.length === BOUNDS.listElements)
        reject(scanner, `a list has at most ${BOUNDS.listElements} elements`);
      elements.push(parseElement(scanner));
    } while (take(scanner, ","));
    expect(scanner, ")", '"," or ")"');
  }
  skipBlanks(scanner);
  return elements;
}

/** Clients quote without escaping, so quotes that do not enclose the whole element are part of it. */
function parseElement(scanner: Scanner): string {
  return takeEnclosedQuoted(scanner) ?? takePattern(scanner, LIST_ELEMENT) ?? "";
}

/** Takes quoted text that is followed by a comma, a closing parenthesis or the end; else returns null. */
export function takeEnclosedQuoted(scanner: Scanner): string | null {
  const start = scanner.position;
  const quoted = takeQuoted(scanner);
  if (quoted !== null && isValueEnd(scanner)) return quoted;
  scanner.position = start;
  return null;
}

export function isValueEnd(scanner: Scanner): boolean {
  const next = peek(scanner);
  return next === "," || next === ")" || isAtEnd(scanner);
}
