import type { RewrittenRows, WriteAttempt } from "../rest/index.ts";
import type { Row } from "./fields/field.ts";
import type { TableRule } from "./rules/table-rule.ts";

/** An attempt as the table knows it: without the columns that are the service's own, and by the columns' own names. */
export interface WrittenRows extends RewrittenRows {
  /** The name that the caller used, of columns that have another. */
  readonly sentAs: ReadonlyMap<string, string>;
  /** Columns that were sent by both of their names. */
  readonly repeated: readonly string[];
}

/** The rows themselves stay the same objects wherever nothing in them changes, so that their text can be kept too. */
export function readWrittenRows(rule: TableRule, { rows, columns, operation }: WriteAttempt): WrittenRows {
  const kept = columns.filter((column) => !rule.ignored.includes(column));
  const [ignored] = columns;
  if (kept.length === 0 && ignored !== undefined && operation === "update") return touchOnly(rows, ignored);
  const sentAs = new Map<string, string>();
  const repeated: string[] = [];
  const named = kept.map((column) => {
    const own = Object.hasOwn(rule.aliases, column) ? rule.aliases[column] : undefined;
    if (own === undefined) return column;
    if (kept.includes(own)) repeated.push(column);
    sentAs.set(own, column);
    return own;
  });
  return {
    rows: sentAs.size === 0 ? rows : rows.map((row) => rename(row, sentAs)),
    columns: [...new Set(named)],
    sentAs,
    repeated,
  };
}

/** A change of nothing else is still a change of the row: the database puts its own value over the null. */
function touchOnly(rows: readonly Row[], column: string): WrittenRows {
  return { rows: rows.map(() => ({ [column]: null })), columns: [column], sentAs: new Map(), repeated: [] };
}

function rename(row: Row, sentAs: ReadonlyMap<string, string>): Row {
  const entries = Object.entries(row);
  for (const [own, sent] of sentAs) {
    if (Object.hasOwn(row, sent)) entries.push([own, row[sent] ?? null]);
  }
  // A value that is rewritten may own any key, which an assignment would lose.
  return Object.fromEntries(entries);
}
