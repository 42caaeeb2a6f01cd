import type pg from "pg";

export interface AccessRow {
  readonly userId: string;
  readonly swarms: readonly { readonly id: string; readonly role: string }[];
  readonly agents: readonly string[];
}

/** The active memberships and the agents of users, as `private.my_swarm_ids` and `private.my_agent_ids` return them. */
export async function selectAccess(pool: pg.Pool, userIds: readonly string[]): Promise<AccessRow[]> {
  const { rows } = await pool.query<AccessRow>(
    `select u.id::text as "userId",
            coalesce((select pg_catalog.json_agg(pg_catalog.json_build_object('id', m.swarm_id, 'role', m.role))
                      from public.swarm_members m where m.user_id = u.id and m.status = 'active'
                        and not exists (select 1 from private.hidden_swarms h where h.swarm_id = m.swarm_id)),
              '[]') as swarms,
            array(select a.id::text from public.agents a where a.user_id = u.id) as agents
     from pg_catalog.unnest($1::uuid[]) as u (id)`,
    [userIds],
  );
  return rows;
}
