import { createHash } from "node:crypto";
import type { ClientBase } from "pg";

/** Advisory locks with two keys: the first one names the schema, the second one is the level. */
function keyOf(schema: string): number {
  return createHash("sha256").update(`swarmbase schema level ${schema}`).digest().readInt32BE();
}

/** Held until the connection ends. Nodes of one level share the lock. */
export async function holdLevel(client: ClientBase, schema: string, level: number): Promise<void> {
  await client.query("select pg_catalog.pg_advisory_lock_shared($1::int, $2::int)", [keyOf(schema), level]);
}

/** The lowest level that a node holds; null when none does. */
export async function selectOldestLevel(client: ClientBase, schema = "private"): Promise<number | null> {
  // The catalogue shows keys as oids, which are unsigned.
  const { rows } = await client.query<{ level: number | null }>(
    `select min(objid::bigint)::int as level from pg_catalog.pg_locks
     where locktype = 'advisory' and objsubid = 2 and granted and classid::bigint = $1
       and database = (select oid from pg_catalog.pg_database where datname = current_database())`,
    [keyOf(schema) >>> 0],
  );
  return rows[0]?.level ?? null;
}
