import pg from "pg";
import type { PipelinedStatement } from "../../../db/index.ts";

/**
 * A condition over rows of a table that are given, not stored. The name of the table stands for the given row, as it does
 * in the text of a policy, and the row's own columns come before anything outside.
 */
export function renderQuestion(table: { readonly schema: string; readonly name: string }, condition: string): string {
  const [schema, name] = [pg.escapeIdentifier(table.schema), pg.escapeIdentifier(table.name)];
  return `select (select true from pg_catalog.json_populate_record(null::${schema}.${name}, given.image) as ${name}
    where ${condition}) is true
  from pg_catalog.json_array_elements($1::json) with ordinality as given (image, place) order by given.place`;
}

export function judgeImages(question: string, images: readonly string[]): PipelinedStatement {
  return { text: question, values: [`[${images.join(",")}]`] };
}
