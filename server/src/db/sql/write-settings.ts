import type pg from "pg";

/** Writes only what differs, so that an ordinary start leaves no dead rows behind. */
export async function writeSettings(client: pg.ClientBase, settings: Record<string, unknown>): Promise<void> {
  await client.query(
    `insert into private.settings as stored (name, value)
     select given.key, given.value from jsonb_each($1::jsonb) as given
     on conflict (name) do update set value = excluded.value where stored.value is distinct from excluded.value`,
    [JSON.stringify(settings)],
  );
}
