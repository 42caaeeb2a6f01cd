import { BOUNDS } from "./bounds.ts";
import { parseField, parseJsonPath } from "./field.ts";
import { parseName } from "./names.ts";
import type { OrderTerm } from "./parsed-request.ts";
import { createScanner, expect, fail, isAtEnd, peek, reject, type Scanner, skipBlanks, take } from "./scanner.ts";

const DIRECTIONS = { asc: "asc", desc: "desc" } as const;
const NULLS = { nullsfirst: "first", nullslast: "last" } as const;

export function parseOrder(text: string): OrderTerm[] {
  const scanner = createScanner("order", text);
  const terms = [parseTerm(scanner)];
  while (take(scanner, ",")) {
    if (terms.length === BOUNDS.orderTerms) reject(scanner, `at most ${BOUNDS.orderTerms} order terms are taken`);
    terms.push(parseTerm(scanner));
  }
  return terms;
}

function parseTerm(scanner: Scanner): OrderTerm {
  const name = parseName(scanner);
  const isRelated = take(scanner, "(");
  const relation = isRelated ? name : null;
  const field = isRelated ? parseField(scanner) : { name, path: parseJsonPath(scanner) };
  if (isRelated) {
    expect(scanner, ")", '"->>", "->" or ")"');
    skipBlanks(scanner);
  }
  const direction = takeOption(scanner, DIRECTIONS);
  const nulls = takeOption(scanner, NULLS);
  endTerm(scanner, { direction, nulls });
  return { relation, field, direction, nulls };
}

function takeOption<Word extends string, Value>(scanner: Scanner, words: Readonly<Record<Word, Value>>): Value | null {
  for (const word in words) {
    if (take(scanner, `.${word}`)) return words[word];
  }
  return null;
}

function endTerm(scanner: Scanner, { direction, nulls }: Pick<OrderTerm, "direction" | "nulls">): void {
  skipBlanks(scanner);
  const next = peek(scanner);
  if (next === "," || isAtEnd(scanner)) return;
  if (nulls === null && take(scanner, ".")) {
    fail(scanner, direction === null ? '"asc", "desc", "nullsfirst" or "nullslast"' : '"nullsfirst" or "nullslast"');
  }
  fail(scanner, nulls === null ? 'delimiter (.), "," or end of input' : '"," or end of input');
}
