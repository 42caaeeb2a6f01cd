import { BOUNDS } from "./bounds.ts";
import { parseField } from "./field.ts";
import { isValueEnd, parseOperation, takeEnclosedQuoted } from "./operation.ts";
import type { Condition, LogicCondition } from "./parsed-request.ts";
import { createScanner, expect, expectEnd, reject, type Scanner, skipBlanks, take, takePattern } from "./scanner.ts";

type LogicKey = Pick<LogicCondition, "operator" | "isNegated">;

interface LogicScanner extends Scanner {
  depth: number;
  termCount: number;
  /** Closing brace by the index of the opening one, computed in one pass to keep parsing linear. */
  readonly closingBraces: ReadonlyMap<number, number>;
}

const LOGIC_START = /(not\.)?(and|or)[ \t]*(?=\()/y;
const PLAIN_VALUE = /[^,)]*/y;

/** The value of a parameter `and` or `or`: terms in parentheses. */
export function parseLogic(text: string, key: LogicKey): LogicCondition {
  const counts = { depth: 0, termCount: 0 };
  const scanner = { ...createScanner("logic tree", text), ...counts, closingBraces: matchBraces(text) };
  const condition = parseGroup(scanner, key);
  expectEnd(scanner);
  return condition;
}

function parseGroup(scanner: LogicScanner, { operator, isNegated }: LogicKey): LogicCondition {
  scanner.depth += 1;
  if (scanner.depth > BOUNDS.nesting) reject(scanner, `logic trees are at most ${BOUNDS.nesting} deep`);
  skipBlanks(scanner);
  expect(scanner, "(");
  const conditions = [parseTerm(scanner)];
  while (take(scanner, ",")) conditions.push(parseTerm(scanner));
  expect(scanner, ")", '"," or ")"');
  skipBlanks(scanner);
  scanner.depth -= 1;
  return { kind: "logic", operator, isNegated, conditions };
}

function parseTerm(scanner: LogicScanner): Condition {
  scanner.termCount += 1;
  if (scanner.termCount > BOUNDS.conditions) reject(scanner, `a logic tree has at most ${BOUNDS.conditions} terms`);
  skipBlanks(scanner);
  const start = takePattern(scanner, LOGIC_START);
  if (start !== null) {
    const isNegated = start.startsWith("not.");
    const operator = start.startsWith("or", isNegated ? 4 : 0) ? "or" : "and";
    return parseGroup(scanner, { operator, isNegated });
  }
  const field = parseField(scanner);
  expect(scanner, ".", "delimiter (.)");
  return { kind: "filter", field, operation: parseOperation(scanner, () => parseLogicValue(scanner)) };
}

function parseLogicValue(scanner: LogicScanner): string {
  return takeEnclosedQuoted(scanner) ?? takeBraced(scanner) ?? takePattern(scanner, PLAIN_VALUE) ?? "";
}

/** An array or object literal, which may contain commas and parentheses. */
function takeBraced(scanner: LogicScanner): string | null {
  const start = scanner.position;
  const closing = scanner.closingBraces.get(start);
  if (closing === undefined) return null;
  scanner.position = closing + 1;
  if (isValueEnd(scanner)) return scanner.text.slice(start, scanner.position);
  scanner.position = start;
  return null;
}

function matchBraces(text: string): Map<number, number> {
  const closings = new Map<number, number>();
  const open: number[] = [];
  for (const { 0: brace, index } of text.matchAll(/[{}]/g)) {
    if (brace === "{") {
      open.push(index);
    } else {
      const opening = open.pop();
      if (opening !== undefined) closings.set(opening, index);
    }
  }
  return closings;
}
