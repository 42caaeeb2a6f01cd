/** A statement, or a line that begins with a backslash where a statement could begin. */
export interface SourcePart {
  readonly kind: "statement" | "backslash";
  /** Without surrounding blanks and without the semicolon. */
  readonly text: string;
  /** The offset of the text in the source. */
  readonly start: number;
  /** The first words of a statement, in lower case. */
  readonly words: readonly string[];
}

interface SplitSource {
  readonly parts: readonly SourcePart[];
  /** The offset of a statement without its end; null when there is none. */
  readonly restAt: number | null;
}

const BLANK = /\s+/y;
const LINE_COMMENT = /--[^\n]*/y;
const WORD = /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y;
const QUOTED_NAME = /"(?:[^"]|"")*"/y;
const STRING = /'(?:[^']|'')*'/y;
const ESCAPE_STRING = /[eE]'(?:[^'\\]|\\[^]|'')*'/y;
const DOLLAR_QUOTE = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;
const REST_OF_LINE = /[^\n]*/y;
const KEPT_WORDS = 6;
const ROUTINE = /^create (?:or replace )?(?:function|procedure)\b/;

/** Splits a text at the semicolons that end statements, by the lexical rules of PostgreSQL. */
export function splitStatements(source: string): SplitSource {
  const parts: SourcePart[] = [];
  let open = openStatement();
  let at = 0;
  while (at < source.length) {
    const token = readToken(source, at);
    if (token.kind === "unfinished") {
      open.start ??= at;
      break;
    }
    if (token.kind === "other" && source[at] === "\\" && open.start === null) {
      const end = matchAt(REST_OF_LINE, source, at) ?? source.length;
      parts.push({ kind: "backslash", text: source.slice(at, end).trim(), start: at, words: [] });
      at = end;
      continue;
    }
    if (token.kind !== "blank") open.start ??= at;
    if (token.kind === "word") addWord(open, source.slice(at, token.end).toLowerCase());
    if (source[at] === "(" || source[at] === ")") open.depth += source[at] === "(" ? 1 : -1;
    if (token.kind === "other" && source[at] === ";" && open.depth <= 0 && open.blocks === 0) {
      const start = open.start ?? at;
      const text = source.slice(start, at).trim();
      if (text !== "") parts.push({ kind: "statement", text, start, words: open.words });
      open = openStatement();
    }
    at = token.end;
  }
  return { parts, restAt: open.start };
}

/** The parts of a whole file, whose last statement needs no semicolon. */
export function splitFile(source: string): readonly SourcePart[] {
  const { parts, restAt } = splitStatements(source);
  if (restAt === null) return parts;
  const last = splitStatements(`${source}\n;`);
  // A string or comment that nothing ends: PostgreSQL reports it.
  if (last.restAt !== null)
    return [...parts, { kind: "statement", text: source.slice(restAt), start: restAt, words: [] }];
  return last.parts;
}

interface OpenStatement {
  start: number | null;
  depth: number;
  /** Of BEGIN ATOMIC … END in the body of a routine, and of CASE … END in it. */
  blocks: number;
  readonly words: string[];
}

function openStatement(): OpenStatement {
  return { start: null, depth: 0, blocks: 0, words: [] };
}

function addWord(open: OpenStatement, word: string): void {
  if (open.words.length < KEPT_WORDS) open.words.push(word);
  if (open.depth > 0 || !ROUTINE.test(open.words.join(" "))) return;
  if (word === "begin" || (word === "case" && open.blocks > 0)) open.blocks += 1;
  if (word === "end" && open.blocks > 0) open.blocks -= 1;
}

interface Token {
  readonly kind: "blank" | "word" | "text" | "other" | "unfinished";
  readonly end: number;
}

function readToken(source: string, at: number): Token {
  const blank = matchAt(BLANK, source, at) ?? matchAt(LINE_COMMENT, source, at);
  if (blank !== null) return { kind: "blank", end: blank };
  if (source.startsWith("/*", at)) return endOr(findCommentEnd(source, at), "blank");
  if (/[eE]/.test(source[at] ?? "") && source[at + 1] === "'") return endOr(matchAt(ESCAPE_STRING, source, at), "text");
  if (source[at] === "'") return endOr(matchAt(STRING, source, at), "text");
  if (source[at] === '"') return endOr(matchAt(QUOTED_NAME, source, at), "text");
  const quoteEnd = matchAt(DOLLAR_QUOTE, source, at);
  if (quoteEnd !== null) {
    const quote = source.slice(at, quoteEnd);
    const closing = source.indexOf(quote, quoteEnd);
    return endOr(closing === -1 ? null : closing + quote.length, "text");
  }
  const word = matchAt(WORD, source, at);
  return word === null ? { kind: "other", end: at + 1 } : { kind: "word", end: word };
}

function endOr(end: number | null, kind: Token["kind"]): Token {
  return end === null ? { kind: "unfinished", end: 0 } : { kind, end };
}

/** Comments of this form nest. */
function findCommentEnd(source: string, at: number): number | null {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = at;
  let depth = 0;
  for (let mark = marks.exec(source); mark !== null; mark = marks.exec(source)) {
    depth += mark[0] === "/*" ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
  return null;
}

function matchAt(pattern: RegExp, source: string, at: number): number | null {
  pattern.lastIndex = at;
  return pattern.test(source) ? pattern.lastIndex : null;
}
