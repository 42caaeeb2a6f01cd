import pg from "pg";
import type { PipelinedStatement } from "../../../db/index.ts";

export interface ValuesQuestion {
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: readonly { readonly column: string; readonly value: string | null }[];
  /** What the row must still hold, as the stream writes it. */
  readonly unchanged: readonly { readonly column: string; readonly value: string | null }[];
}

/** Columns of one row, written as the stream writes them. */
export function selectValues({ schema, name, columns, key, unchanged }: ValuesQuestion): PipelinedStatement {
  const select = columns.map(write);
  const where = [
    ...key.map(({ column }, at) => `${pg.escapeIdentifier(column)} = $${at + 1}`),
    ...unchanged.map(({ column }, at) => `${write(column)} is not distinct from $${key.length + at + 1}::text`),
  ];
  return {
    text: `select ${select.join(", ")} from ${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)} where ${where.join(" and ")}`,
    values: [...key, ...unchanged].map(({ value }) => value),
  };
}

function write(column: string): string {
  const name = pg.escapeIdentifier(column);
  return `case when ${name} is not null then pg_catalog.format('%s', ${name}) end`;
}
