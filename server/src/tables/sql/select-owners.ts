import type pg from "pg";

export type OwnedTable = "agents" | "webhooks" | "tools" | "swarms";

interface OwnerRow {
  readonly id: string;
  readonly owner_id: string | null;
}

const STATEMENTS: Readonly<Record<OwnedTable, string>> = {
  agents: "select id, user_id as owner_id from public.agents where id = any ($1::uuid[])",
  webhooks: "select id, user_id as owner_id from public.webhooks where id = any ($1::uuid[])",
  tools: "select id, owner_id from public.tools where id = any ($1::uuid[])",
  swarms: "select id, owner_id from public.swarms where id = any ($1::uuid[])",
};

export async function selectOwners(
  pool: pg.Pool,
  table: OwnedTable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  const { rows } = await pool.query<OwnerRow>({ text: STATEMENTS[table], values: [ids] });
  return new Map(rows.map(({ id, owner_id }) => [id, owner_id]));
}
