import type pg from "pg";

const SELECT = `
  select x.id from public.tool_executions x
  where x.id = any ($1::uuid[]) and x.status in ('pending_approval', 'running')`;

/** Returns which of these tool executions have not ended. */
export async function selectWaiting(pool: pg.Pool, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ id: string }>(SELECT, [ids]);
  return new Set(rows.map(({ id }) => id));
}
