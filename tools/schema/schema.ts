import type { Ask } from "./ask.ts";
import { readGrants } from "./grants.ts";

/** The header names the default owner; only objects with another owner mention it. */
export const OWNER = "swarmbase_owner";

export interface Schema {
  readonly oid: string;
  readonly name: string;
  readonly owner: string;
  readonly grants: ReadonlyMap<string, readonly string[]>;
}

/** All schemas that are not PostgreSQL's own, so that unexpected ones are included. */
export async function readSchemas(ask: Ask): Promise<Schema[]> {
  const grants = await readGrants(ask);
  const rows = await ask<{ oid: string; name: string; owner: string }>(
    `select oid::text, quote_ident(nspname) as name, pg_get_userbyid(nspowner)::text as owner from pg_namespace
     where nspname <> 'information_schema' and nspname !~ '^pg_' order by nspname`,
  );
  return rows.map((row) => ({ ...row, grants }));
}
