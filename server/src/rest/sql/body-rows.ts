import type { Column, QualifiedName } from "../catalogue/catalogue.ts";
import type { BodyRows } from "../plan/plan.ts";
import type { Draft } from "./draft.ts";
import { quoteIdentifier, quoteLiteral, quoteName } from "./quote.ts";

/** Raised in place of a number of rows when a type differs from the catalogue. */
export const STALE_TYPE_ROWS = -1;

/** The rows of a body as an item of `from`, and the expression of each column. */
export interface RenderedBodyRows {
  readonly from: string;
  /** In the order of the body's columns. */
  readonly values: readonly string[];
  /** Conditions that raise an error when they do not hold. */
  readonly checks: readonly string[];
  /** For each column that some rows lack: whether this row has it. */
  readonly sent: ReadonlyMap<string, string>;
}

/**
 * At least one column must be known. Values are read without the modifiers of their types: the column they go to has its
 * own, which may have changed since the catalogue was read.
 */
export function renderBodyRows(draft: Draft, rows: BodyRows, relation: QualifiedName): RenderedBodyRows {
  const { columns, isArray, gaps = [] } = rows;
  const alias = draft.alias("_body");
  const isWritten = ({ type }: Column): boolean => rows.areTexts === true && /^jsonb?$/.test(type.category);
  const readerOf = ({ type }: Column): QualifiedName | null => type.representation?.fromJson ?? null;
  const typeOf = (column: Column): string =>
    readerOf(column) === null ? (isWritten(column) ? "text" : column.type.name) : "json";
  const definition = columns.map((column) => `${quoteIdentifier(column.name)} ${typeOf(column)}`).join(",");
  const text = `${draft.parameter(rows.text)}::json`;
  const values = columns.map((column) => {
    const value = `${alias}.${quoteIdentifier(column.name)}`;
    const reader = readerOf(column);
    if (reader !== null) return `${quoteName(reader)}(${value})`;
    return isWritten(column) ? `${value}::${column.type.name}` : value;
  });
  const checks = renderTypeCheck(columns, relation);
  if (!rows.shouldDefault && gaps.length === 0) {
    const from = `pg_catalog.json_to_record${isArray ? "set" : ""}(${text}) ${alias}(${definition})`;
    return { from, values, checks, sent: new Map() };
  }
  const row = draft.alias("_row");
  const source = isArray ? `pg_catalog.json_array_elements(${text}) ${row}(sent)` : `(select ${text} as sent) ${row}`;
  const isFilled = ({ name }: Column): boolean => rows.shouldDefault || gaps.includes(name);
  return {
    from: `${source},pg_catalog.json_to_record(${row}.sent) ${alias}(${definition})`,
    values: columns.map((column, index) => {
      const value = values[index] ?? "null";
      return isFilled(column) ? orDefault(column, value, { row, relation }) : value;
    }),
    checks,
    sent: rows.shouldDefault ? new Map() : new Map(gaps.map((name) => [name, renderSent(row, name)])),
  };
}

/** Whether the key was sent, even as null. */
function renderSent(row: string, column: string): string {
  return `${row}.sent->${quoteLiteral(column)} is not null`;
}

/** Types that keep every text unchanged. Converting their values to another type is lossless, or an error. */
const WHOLE: ReadonlySet<string> = new Set(["json", "jsonb", "text"]);

/** Other types may drop a time zone, digits or zeros silently, so the column must still have the same type. */
function renderTypeCheck(columns: readonly Column[], relation: QualifiedName): readonly string[] {
  const row = `(null::${quoteName(relation)})`;
  const parts = columns
    .filter(({ type }) => !WHOLE.has(type.category))
    .map(({ name, type }) => {
      const now = `pg_catalog.pg_typeof(${row}.${quoteIdentifier(name)})`;
      return `${now}=${quoteLiteral(type.name)}::pg_catalog.regtype`;
    });
  if (parts.length === 0) return [];
  return [`case when ${parts.join(" and ")} then true else private.require_single(${STALE_TYPE_ROWS}) end`];
}

function orDefault(
  column: Column,
  value: string,
  { row, relation }: { readonly row: string; readonly relation: QualifiedName },
): string {
  const byDefault = renderDefault(column, relation);
  if (byDefault === null) return value;
  return `case when ${renderSent(row, column.name)} then ${value} else (${byDefault})::${column.type.name} end`;
}

function renderDefault({ name, default: text, identity }: Column, relation: QualifiedName): string | null {
  if (identity === null) return text;
  const sequence = `pg_catalog.pg_get_serial_sequence(${quoteLiteral(quoteName(relation))},${quoteLiteral(name)})`;
  return `pg_catalog.nextval(${sequence})`;
}
