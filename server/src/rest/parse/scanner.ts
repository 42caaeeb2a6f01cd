import { restError } from "../rest-error.ts";

/** A text and the position of the parser in it. */
export interface Scanner {
  /** The name of the text in messages: `filter`, `select parameter`, … */
  readonly subject: string;
  readonly text: string;
  position: number;
}

const SHOWN_LENGTH = 1000;
const BLANKS = /[ \t]+/y;

export function createScanner(subject: string, text: string): Scanner {
  return { subject, text, position: 0 };
}

/** For the value of a parameter such as `columns`. */
export function createParameterScanner(name: string, text: string): Scanner {
  return createScanner(`${name} parameter`, text);
}

export function isAtEnd(scanner: Scanner): boolean {
  return scanner.position >= scanner.text.length;
}

/** The character that comes next, or "" at the end. */
export function peek(scanner: Scanner): string {
  return scanner.text.charAt(scanner.position);
}

export function startsWith(scanner: Scanner, token: string): boolean {
  return scanner.text.startsWith(token, scanner.position);
}

export function take(scanner: Scanner, token: string): boolean {
  if (!startsWith(scanner, token)) return false;
  scanner.position += token.length;
  return true;
}

export function expect(scanner: Scanner, token: string, expecting: string = JSON.stringify(token)): void {
  if (!take(scanner, token)) fail(scanner, expecting);
}

export function expectEnd(scanner: Scanner, expecting = "end of input"): void {
  if (!isAtEnd(scanner)) fail(scanner, expecting);
}

export function skipBlanks(scanner: Scanner): void {
  takePattern(scanner, BLANKS);
}

/** Takes the match of a sticky pattern at the current position, or returns null. */
export function takePattern(scanner: Scanner, sticky: RegExp): string | null {
  sticky.lastIndex = scanner.position;
  const found = sticky.exec(scanner.text)?.[0] ?? null;
  if (found !== null) scanner.position += found.length;
  return found;
}

export function fail(scanner: Scanner, expecting: string): never {
  const character = scanner.text.codePointAt(scanner.position);
  const unexpected = character === undefined ? "end of input" : JSON.stringify(String.fromCodePoint(character));
  return reject(scanner, `unexpected ${unexpected} expecting ${expecting}`);
}

/** Rejects a text that is well-formed but exceeds a bound. */
export function reject({ subject, text, position }: Scanner, details: string): never {
  const shown = text.length <= SHOWN_LENGTH ? text : `${text.slice(0, SHOWN_LENGTH)}…`;
  throw restError("PGRST100", `"failed to parse ${subject} (${shown})" ${describePosition(text, position)}`, {
    details,
  });
}

function describePosition(text: string, position: number): string {
  const before = text.slice(0, position);
  const lineStart = before.lastIndexOf("\n") + 1;
  const line = before.split("\n").length;
  const column = Array.from(before.slice(lineStart)).length + 1;
  return `(line ${line}, column ${column})`;
}
