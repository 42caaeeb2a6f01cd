import type { Ask } from "./ask.ts";
import { readGrants } from "./grants.ts";

/** Said once in the header; an object that belongs to anybody else says so. */
export const OWNER = "swarmbase_owner";

export interface Schema {
  readonly oid: string;
  readonly name: string;
  readonly owner: string;
  readonly grants: ReadonlyMap<string, readonly string[]>;
}

/** Every schema that is not PostgreSQL's own, so that one nobody thought of is seen too. */
export async function readSchemas(ask: Ask): Promise<Schema[]> {
  const grants = await readGrants(ask);
  const rows = await ask<{ oid: string; name: string; owner: string }>(
    `select oid::text, quote_ident(nspname) as name, pg_get_userbyid(nspowner)::text as owner from pg_namespace
     where nspname <> 'information_schema' and nspname !~ '^pg_' order by nspname`,
  );
  return rows.map((row) => ({ ...row, grants }));
}
