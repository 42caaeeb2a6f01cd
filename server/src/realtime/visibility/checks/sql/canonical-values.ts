import type { PipelinedStatement } from "../../../../db/index.ts";

/** The settings of the replication stream, so that values have the same text format. */
export const SET_TEXT_FORMS: PipelinedStatement = {
  text: `select pg_catalog.set_config('timezone', 'UTC', true), pg_catalog.set_config('datestyle', 'ISO', true),
           pg_catalog.set_config('intervalstyle', 'postgres', true), pg_catalog.set_config('extra_float_digits', '1', true),
           pg_catalog.set_config('bytea_output', 'hex', true)`,
  values: [],
};

/** Formats values as their types print them, which a cast to text does not. Fails for an invalid value. */
export function canonicalValues(
  values: readonly { readonly text: string; readonly sqlName: string }[],
): PipelinedStatement {
  return {
    text: `select ${values.map(({ sqlName }, index) => `pg_catalog.format('%s', ($${index + 1}::text)::${sqlName})`).join(", ")}`,
    values: values.map(({ text }) => text),
  };
}
