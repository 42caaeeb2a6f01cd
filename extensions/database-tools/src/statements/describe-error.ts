import pg from "pg";

/** Where a statement comes from. */
export interface StatementSource {
  /** The name of a file; null for what was typed. */
  readonly name: string | null;
  readonly text: string;
  /** The offset of the statement in the text. */
  readonly start: number;
}

/** An error of PostgreSQL with the line that it is in, and a mark below the position. */
export function describeError(error: unknown, source: StatementSource): string {
  if (!(error instanceof pg.DatabaseError)) return error instanceof Error ? error.message : String(error);
  const place = error.position === undefined ? null : locate(source.text, source.start, Number(error.position));
  const file =
    source.name === null ? "" : `${source.name}:${place === null ? lineAt(source) : `${place.line}:${place.column}`}: `;
  const head = `${file}${error.severity ?? "ERROR"}: ${error.message}${error.code === undefined ? "" : ` (${error.code})`}`;
  const lead = place === null ? "" : `LINE ${place.line}: `;
  return [
    head,
    ...(place === null ? [] : [`${lead}${place.text}`, `${" ".repeat(lead.length + place.before)}^`]),
    ...(error.detail === undefined ? [] : [`DETAIL: ${error.detail}`]),
    ...(error.hint === undefined ? [] : [`HINT: ${error.hint}`]),
    ...(error.where === undefined ? [] : [`CONTEXT: ${error.where}`]),
  ].join("\n");
}

interface Place {
  readonly line: number;
  readonly column: number;
  /** The line, shortened around the position. */
  readonly text: string;
  /** Characters of that text before the position. */
  readonly before: number;
}

const SHOWN_BEFORE = 60;
const SHOWN_AFTER = 60;

/** The server counts characters from 1, JavaScript counts UTF-16 units from 0. */
function locate(text: string, start: number, position: number): Place {
  const offset =
    start +
    Array.from(text.slice(start))
      .slice(0, position - 1)
      .join("").length;
  const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
  const lineEnd = text.indexOf("\n", offset);
  const line = text
    .slice(lineStart, lineEnd === -1 ? undefined : lineEnd)
    .replaceAll("\t", " ")
    .trimEnd();
  const column = offset - lineStart;
  const from = Math.max(0, column - SHOWN_BEFORE);
  return {
    line: text.slice(0, offset).split("\n").length,
    column: column + 1,
    text: line.slice(from, column + SHOWN_AFTER),
    before: column - from,
  };
}

function lineAt({ text, start }: StatementSource): number {
  return text.slice(0, start).split("\n").length;
}
