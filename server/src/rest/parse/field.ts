import { BOUNDS } from "./bounds.ts";
import { isQuotedNext, parseDashed, parseName, parseQuoted } from "./names.ts";
import type { FieldPath, JsonStep } from "./parsed-request.ts";
import { fail, reject, type Scanner, skipBlanks, take, takePattern } from "./scanner.ts";

const KEY_PART = /[^(\-:.,>)]+/y;
const DIGITS = /[0-9]+/y;
const KEY_EXPECTED = "any non reserved character different from: .,>()";
/** The largest index that PostgreSQL accepts. */
const MAX_INDEX = 2 ** 31 - 1;

export function parseField(scanner: Scanner): FieldPath {
  const name = parseName(scanner);
  return { name, path: parseJsonPath(scanner) };
}

export function parseJsonPath(scanner: Scanner): JsonStep[] {
  const path: JsonStep[] = [];
  for (let kind = takeArrow(scanner); kind !== null; kind = takeArrow(scanner)) {
    if (path.length === BOUNDS.nesting) reject(scanner, `a JSON path has at most ${BOUNDS.nesting} steps`);
    path.push({ kind, key: parseKey(scanner) });
  }
  skipBlanks(scanner);
  return path;
}

function takeArrow(scanner: Scanner): JsonStep["kind"] | null {
  if (take(scanner, "->>")) return "->>";
  return take(scanner, "->") ? "->" : null;
}

function parseKey(scanner: Scanner): string | number {
  if (isQuotedNext(scanner)) return parseQuoted(scanner);
  if (take(scanner, "-")) return parseNegativeIndex(scanner);
  const key = parseDashed(scanner, parseKeyPart(scanner), parseKeyPart);
  return /^[0-9]+$/.test(key) ? Math.min(Number(key), MAX_INDEX) : key;
}

function parseKeyPart(scanner: Scanner): string {
  const start = scanner.position;
  const part = takePattern(scanner, KEY_PART)?.trim() ?? "";
  if (part !== "") return part;
  scanner.position = start;
  return fail(scanner, KEY_EXPECTED);
}

function parseNegativeIndex(scanner: Scanner): number {
  const digits = takePattern(scanner, DIGITS);
  if (digits === null) return fail(scanner, "digit");
  // Without the addition the index of `-0` would be a negative zero.
  return Math.max(-Number(digits), -MAX_INDEX) + 0;
}
