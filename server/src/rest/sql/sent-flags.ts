import type { Column } from "../catalogue/catalogue.ts";
import type { RenderedBodyRows } from "./body-rows.ts";
import { quoteIdentifier } from "./quote.ts";

/** An additional column: whether a row of the body has a value for a column. */
export interface SentFlag {
  /** The column that it is about. */
  readonly column: string;
  /** Quoted. */
  readonly name: string;
  readonly value: string;
}

export function buildSentFlags(sent: RenderedBodyRows["sent"], columns: readonly Column[]): readonly SentFlag[] {
  const taken = new Set(columns.map(({ name }) => name));
  return [...sent].map(([column, value], index) => {
    let name = `_has_${index}`;
    while (taken.has(name)) name += "_";
    return { column, name: quoteIdentifier(name), value };
  });
}

/**
 * `on conflict` sees the row to insert, but not whether a column was sent. So the keys of the rows that lack a column are collected
 * first, in one object for each such column.
 */
export function renderLackingKeys(flags: readonly SentFlag[], sent: string, key: readonly string[]): string {
  const lacking = flags.map(
    ({ name }) =>
      `pg_catalog.jsonb_object_agg(${renderKey(sent, key)},true) filter (where not ${sent}.${name}) as ${name}`,
  );
  return `select ${lacking.join(",")} from ${sent}`;
}

export function renderIsLacking({ name }: SentFlag, lacking: string, key: readonly string[]): string {
  return `pg_catalog.jsonb_exists((select ${lacking}.${name} from ${lacking}),${renderKey("excluded", key)})`;
}

function renderKey(row: string, key: readonly string[]): string {
  return `row(${key.map((column) => `${row}.${quoteIdentifier(column)}`).join(",")})::text`;
}
