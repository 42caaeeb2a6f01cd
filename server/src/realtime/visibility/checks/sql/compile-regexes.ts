import type { PipelinedStatement } from "../../../../db/index.ts";

/** Fails when an expression is invalid. A comparison with null would not even read it. */
export function compileRegexes(regexes: readonly string[]): PipelinedStatement {
  return {
    text: "select pg_catalog.bool_or('' ~ regex) from pg_catalog.unnest($1::text[]) as regex",
    values: [regexes],
  };
}
