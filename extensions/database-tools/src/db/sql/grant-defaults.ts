import type { CommandDatabase } from "swarmbase/extension";
import { inAppSchema, isLoose } from "../../diff/sql/own-objects.ts";
import { SERVICE_NAMES } from "../../types/service/service-names.ts";

type Client = CommandDatabase["client"];

/** The roles of requests. */
const ROLES = "anon, authenticated, service_role";

export type GrantedKind = "table" | "sequence" | "routine";

interface AppObject {
  readonly kind: GrantedKind;
  /** With its schema, quoted, and with the types of its parameters. */
  readonly name: string;
  /** A table that shows all of its rows to everybody who may read it. */
  readonly is_open: boolean;
}

/** Whether the schema exists; null when it is one of Swarmbase or PostgreSQL. */
export async function selectSchema(client: Client, schema: string): Promise<boolean | null> {
  const { rows } = await client.query<{ is_app: boolean }>(
    `select ${inAppSchema("n.oid")} as is_app from pg_catalog.pg_namespace n where n.nspname = $1`,
    [schema],
  );
  const [found] = rows;
  return found === undefined ? false : found.is_app || null;
}

/** What an app has in a schema. In `public`, the objects of Swarmbase are left out. */
export async function selectAppObjects(client: Client, schema: string): Promise<readonly AppObject[]> {
  const own = schema === "public" ? SERVICE_NAMES : { relations: [], functions: [] };
  const { rows } = await client.query<AppObject>(
    `select case c.relkind when 'S' then 'sequence' else 'table' end as kind, pg_catalog.format('%I.%I', n.nspname, c.relname) as name,
       c.relkind in ('r', 'p') and not c.relrowsecurity as is_open
     from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S') and c.relname <> all ($2::text[]) and ${isLoose("c.oid", "pg_class")}
     union all
     select 'routine', pg_catalog.format('%I.%I(%s)', n.nspname, p.proname, pg_catalog.pg_get_function_identity_arguments(p.oid)), false
     from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
     where n.nspname = $1 and p.proname <> all ($3::text[]) and ${isLoose("p.oid", "pg_proc")}
     order by 1, 2`,
    [schema, own.relations, own.functions],
  );
  return rows;
}

/** As Supabase grants them. In `public`, tables that Swarmbase creates later must not be open, so later ones get nothing. */
export async function grantDefaults(client: Client, schema: string, objects: readonly AppObject[]): Promise<void> {
  const quoted = `"${schema.replaceAll('"', '""')}"`;
  await client.query(`grant usage on schema ${quoted} to ${ROLES}`);
  for (const { kind, name } of objects) await client.query(`grant all on ${kind} ${name} to ${ROLES}`);
  if (schema === "public") return;
  for (const kinds of ["tables", "sequences", "routines"])
    await client.query(`alter default privileges in schema ${quoted} grant all on ${kinds} to ${ROLES}`);
}
