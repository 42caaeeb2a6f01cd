import type { RewrittenRows, WriteAttempt } from "../rest/index.ts";
import type { Row } from "./fields/field.ts";
import type { TableRule } from "./rules/table-rule.ts";

/** The rows of a write without columns that the service manages, with aliases resolved. */
export interface WrittenRows extends RewrittenRows {
  /** The alias that the caller used, by column. */
  readonly sentAs: ReadonlyMap<string, string>;
  /** Columns that were sent under both names. */
  readonly repeated: readonly string[];
}

/** Unchanged rows stay the same objects, so that their text can be reused. */
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

/** An update of managed columns only still touches the row: the database replaces the null. */
function touchOnly(rows: readonly Row[], column: string): WrittenRows {
  return { rows: rows.map(() => ({ [column]: null })), columns: [column], sentAs: new Map(), repeated: [] };
}

function rename(row: Row, sentAs: ReadonlyMap<string, string>): Row {
  const entries = Object.entries(row);
  for (const [own, sent] of sentAs) {
    if (Object.hasOwn(row, sent)) entries.push([own, row[sent] ?? null]);
  }
  // Assigning the key `__proto__` would lose it.
  return Object.fromEntries(entries);
}
