import type { Framework } from "@swarmbase/sdk";
import type pg from "pg";
import type { StoredKeys } from "../stored-keys.ts";

/** The keys are wrapped. */
export async function selectWrappedKeys(client: Pick<pg.ClientBase, "query">): Promise<StoredKeys> {
  const { rows } = await client.query<{ value: StoredKeys }>(
    "select value from private.settings where name = 'provider_keys'",
  );
  return rows[0]?.value ?? {};
}

/** Runs as the owner of the schema. Other frameworks keep theirs, also when two calls are made at the same time. */
export async function storeWrappedKey(client: pg.ClientBase, framework: Framework, wrapped: string): Promise<void> {
  await client.query(
    `insert into private.settings as stored (name, value)
     values ('provider_keys', jsonb_build_object($1::text, $2::text))
     on conflict (name) do update set value = stored.value || excluded.value`,
    [framework, wrapped],
  );
}

/** Returns whether there was one. */
export async function removeStoredKey(client: pg.ClientBase, framework: Framework): Promise<boolean> {
  const { rowCount } = await client.query(
    "update private.settings set value = value - $1::text where name = 'provider_keys' and value ? $1::text",
    [framework],
  );
  return rowCount === 1;
}
