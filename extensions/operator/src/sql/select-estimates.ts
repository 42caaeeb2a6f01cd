import type { Query } from "swarmbase/extension";

interface EstimateRow {
  readonly schema: string;
  readonly name: string;
  /** Null before the first `analyze` of the table. */
  readonly rows: string | null;
}

/** How many rows tables have, by the statistics of the planner: a count would read 10 million rows. */
export function selectEstimates(query: Query, schemas: readonly string[]): Promise<readonly EstimateRow[]> {
  return query<EstimateRow>(
    `select n.nspname as schema, c.relname as name,
            case when c.reltuples >= 0 then c.reltuples::bigint::text end as rows
       from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where n.nspname = any ($1) and c.relkind in ('r', 'p', 'm', 'f')`,
    [schemas],
  );
}
