import pg from "pg";
import type { PipelinedStatement } from "../../../../db/index.ts";

/**
 * Renders a condition over rows that are given as JSON and not stored. The table name is an alias of the given row, as the
 * text of a policy expects, so that its columns take precedence over outer names.
 */
export function renderCheck(table: { readonly schema: string; readonly name: string }, condition: string): string {
  const [schema, name] = [pg.escapeIdentifier(table.schema), pg.escapeIdentifier(table.name)];
  return `select (select true from pg_catalog.json_populate_record(null::${schema}.${name}, given.image) as ${name}
    where ${condition}) is true
  from pg_catalog.json_array_elements($1::json) with ordinality as given (image, place) order by given.place`;
}

export function checkRows(statement: string, images: readonly string[]): PipelinedStatement {
  return { text: statement, values: [`[${images.join(",")}]`] };
}
