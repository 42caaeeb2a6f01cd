import { BOUNDS } from "./bounds.ts";
import { expectEnd, fail, isAtEnd, peek, reject, type Scanner, skipBlanks, take, takePattern } from "./scanner.ts";

const IDENTIFIER = /[\p{L}\p{M}\p{N}_$ ]+/uy;
const UNESCAPED = /[^"\\]+/y;
const NAME_EXPECTED = "field name (* or [a..z0..9_$])";

/** A name in double quotes is never a keyword. */
export function isQuotedNext(scanner: Scanner): boolean {
  return peek(scanner) === '"';
}

export function parseName(scanner: Scanner): string {
  skipBlanks(scanner);
  const start = scanner.position;
  const name = isQuotedNext(scanner)
    ? parseQuoted(scanner)
    : parseDashed(scanner, parseIdentifier(scanner, NAME_EXPECTED), (next) => parseIdentifier(next));
  if (name === "") {
    // PostgreSQL has no nameless columns, tables or aliases.
    scanner.position = start;
    fail(scanner, NAME_EXPECTED);
  }
  skipBlanks(scanner);
  return name;
}

/** Letters, digits, `_`, `$` and inner blanks: the name of a type or of a text search configuration. */
export function parseIdentifier(scanner: Scanner, expecting = "letter or digit"): string {
  const start = scanner.position;
  const identifier = takePattern(scanner, IDENTIFIER)?.trim() ?? "";
  if (identifier !== "") return identifier;
  scanner.position = start;
  return fail(scanner, expecting);
}

/** Goes on with parts after dashes. A dash belongs to the name unless it begins an arrow. */
export function parseDashed(scanner: Scanner, first: string, parsePart: (scanner: Scanner) => string): string {
  let name = first;
  while (peek(scanner) === "-" && scanner.text[scanner.position + 1] !== ">") {
    scanner.position += 1;
    name += `-${parsePart(scanner)}`;
  }
  return name;
}

export function parseQuoted(scanner: Scanner): string {
  const quoted = takeQuoted(scanner);
  if (quoted !== null) return quoted;
  scanner.position = scanner.text.length;
  return fail(scanner, '"\\""');
}

/** Text in double quotes where a backslash takes the next character as it is; null (and nothing taken) without an end. */
export function takeQuoted(scanner: Scanner): string | null {
  const start = scanner.position;
  if (!take(scanner, '"')) return null;
  let value = "";
  while (!isAtEnd(scanner)) {
    value += takePattern(scanner, UNESCAPED) ?? "";
    if (take(scanner, '"')) return value;
    if (take(scanner, "\\")) {
      const escaped = scanner.text.codePointAt(scanner.position);
      if (escaped === undefined) break;
      const character = String.fromCodePoint(escaped);
      value += character;
      scanner.position += character.length;
    }
  }
  scanner.position = start;
  return null;
}

/** Names separated by dots: a path in the select tree. */
export function parseDottedNames(scanner: Scanner): string[] {
  const names = [parseName(scanner)];
  while (take(scanner, ".")) {
    if (names.length > BOUNDS.nesting) reject(scanner, `a path has at most ${BOUNDS.nesting} names`);
    names.push(parseName(scanner));
  }
  return names;
}

/** The value of `columns` and `on_conflict`, each name once. */
export function parseNameList(scanner: Scanner): string[] {
  const names = new Set([parseName(scanner)]);
  while (take(scanner, ",")) names.add(parseName(scanner));
  expectEnd(scanner, '"," or end of input');
  return [...names];
}
