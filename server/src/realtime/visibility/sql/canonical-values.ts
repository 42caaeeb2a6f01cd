import type { PipelinedStatement } from "../../../db/index.ts";

/** What the stream's texts are written with. */
export const SET_TEXT_FORMS: PipelinedStatement = {
  text: `select pg_catalog.set_config('timezone', 'UTC', true), pg_catalog.set_config('datestyle', 'ISO', true),
           pg_catalog.set_config('intervalstyle', 'postgres', true), pg_catalog.set_config('extra_float_digits', '1', true),
           pg_catalog.set_config('bytea_output', 'hex', true)`,
  values: [],
};

/** The values as PostgreSQL itself writes them in their types, which a cast to text does not; fails where one is none. */
export function canonicalValues(
  values: readonly { readonly text: string; readonly sqlName: string }[],
): PipelinedStatement {
  return {
    text: `select ${values.map(({ sqlName }, at) => `pg_catalog.format('%s', ($${at + 1}::text)::${sqlName})`).join(", ")}`,
    values: values.map(({ text }) => text),
  };
}
