import type { PipelinedStatement } from "@swarmbase/postgres";
import pg from "pg";

/** Formats values as their types print them, which a cast to text does not. Fails for an invalid value. */
export function canonicalValues(
  values: readonly { readonly text: string; readonly sqlName: string }[],
): PipelinedStatement {
  return {
    text: `select ${values.map(({ sqlName }, index) => `pg_catalog.format('%s', ($${index + 1}::text)::${sqlName})`).join(", ")}`,
    values: values.map(({ text }) => text),
  };
}

/** Fails when an expression is invalid. A comparison with null would not even read it. */
export function compileRegexes(regexes: readonly string[]): PipelinedStatement {
  return {
    text: "select pg_catalog.bool_or('' ~ regex) from pg_catalog.unnest($1::text[]) as regex",
    values: [regexes],
  };
}

/** Evaluates a condition over given JSON rows. The row has the name of the table as its alias, as the text of policies expects. */
export function renderCheck(table: { readonly schema: string; readonly name: string }, condition: string): string {
  const [schema, name] = [pg.escapeIdentifier(table.schema), pg.escapeIdentifier(table.name)];
  return `select (select true from pg_catalog.json_populate_record(null::${schema}.${name}, given.image) as ${name}
    where ${condition}) is true
  from pg_catalog.json_array_elements($1::json) with ordinality as given (image, place) order by given.place`;
}

export function checkRows(statement: string, images: readonly string[]): PipelinedStatement {
  return { text: statement, values: [`[${images.join(",")}]`] };
}
