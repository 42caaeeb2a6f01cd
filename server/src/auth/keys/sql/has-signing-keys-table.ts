import type { ClientBase } from "pg";

export async function hasSigningKeysTable(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>(
    `select exists (select from pg_catalog.pg_tables
                     where schemaname = 'private'
                       and tablename = 'signing_keys') as exists`,
  );
  return rows[0]?.exists === true;
}
