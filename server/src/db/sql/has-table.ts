import type { ClientBase } from "pg";

export async function hasTable(client: ClientBase, name: string): Promise<boolean> {
  const { rows } = await client.query("select where pg_catalog.to_regclass($1) is not null", [name]);
  return rows.length > 0;
}
