import type pg from "pg";

export interface AccessRow {
  readonly swarms: readonly { readonly id: string; readonly role: string }[];
  readonly agents: readonly string[];
}

/** The active memberships and the agents of a user. */
export async function selectAccess(pool: pg.Pool, userId: string): Promise<AccessRow> {
  const { rows } = await pool.query<AccessRow>(
    `select coalesce((select pg_catalog.json_agg(pg_catalog.json_build_object('id', m.swarm_id, 'role', m.role))
                      from public.swarm_members m where m.user_id = $1 and m.status = 'active'), '[]') as swarms,
            array(select a.id::text from public.agents a where a.user_id = $1) as agents`,
    [userId],
  );
  return rows[0] ?? { swarms: [], agents: [] };
}
