import type { PipelinedStatement } from "@swarmbase/postgres";
import pg from "pg";

/** The settings of the replication stream, so that values have the same text format. */
export const SET_TEXT_FORMS: PipelinedStatement = {
  text: `select pg_catalog.set_config('timezone', 'UTC', true), pg_catalog.set_config('datestyle', 'ISO', true),
           pg_catalog.set_config('intervalstyle', 'postgres', true), pg_catalog.set_config('extra_float_digits', '1', true),
           pg_catalog.set_config('bytea_output', 'hex', true)`,
  values: [],
};

interface ValuesQuery {
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: readonly { readonly column: string; readonly value: string | null }[];
  /** Values that the row must still have, in the text format of the replication stream. */
  readonly unchanged: readonly { readonly column: string; readonly value: string | null }[];
}

/** Selects columns of one row in the text format of the replication stream. */
export function selectValues({ schema, name, columns, key, unchanged }: ValuesQuery): PipelinedStatement {
  const select = columns.map(format);
  const where = [
    ...key.map(({ column }, index) => `${pg.escapeIdentifier(column)} = $${index + 1}`),
    ...unchanged.map(({ column }, index) => `${format(column)} is not distinct from $${key.length + index + 1}::text`),
  ];
  return {
    text: `select ${select.join(", ")} from ${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)} where ${where.join(" and ")}`,
    values: [...key, ...unchanged].map(({ value }) => value),
  };
}

function format(column: string): string {
  const name = pg.escapeIdentifier(column);
  return `case when ${name} is not null then pg_catalog.format('%s', ${name}) end`;
}
