import type pg from "pg";

const IS_MEMBER = `exists (select 1 from public.swarm_members seat
                          where seat.swarm_id = it.swarm_id and seat.user_id = $2 and seat.status = 'active')`;

/**
 * Looks up a row regardless of row-level rules: whether the caller may read it and whether the caller owns it. A deleted message
 * counts as missing.
 */
const STATEMENTS = {
  swarms: `
    select it.id as swarm_id, it.owner_id = $2 as is_own, null as state,
           exists (select 1 from public.swarm_members seat
                    where seat.swarm_id = it.id and seat.user_id = $2 and seat.status = 'active') as is_seen
      from public.swarms it where it.id = $1`,
  swarm_members: `
    select it.swarm_id, it.user_id is not distinct from $2 as is_own, it.role as state,
           it.user_id is not distinct from $2 or ${IS_MEMBER} as is_seen
      from public.swarm_members it where it.id = $1`,
  swarm_agents: `
    select it.swarm_id, it.user_id = $2 as is_own, null as state, it.user_id = $2 or ${IS_MEMBER} as is_seen
      from public.swarm_agents it where it.id = $1`,
  messages: `
    select it.swarm_id, it.sender_user_id is not distinct from $2 as is_own, null as state, ${IS_MEMBER} as is_seen
      from public.messages it where it.id = $1 and it.deleted_at is null`,
  message_flags: `
    select it.swarm_id, it.flagged_by is not distinct from $2 as is_own, it.status as state,
           it.flagged_by is not distinct from $2
           or exists (select 1 from public.swarm_members seat
                       where seat.swarm_id = it.swarm_id and seat.user_id = $2 and seat.status = 'active'
                         and seat.role in ('owner', 'admin')) as is_seen
      from public.message_flags it where it.id = $1`,
  tools: `
    select null as swarm_id, it.owner_id is not distinct from $2 as is_own,
           case when it.owner_id is null then 'public' else it.visibility end as state,
           it.owner_id is null or it.owner_id = $2 or it.visibility = 'public'
           or (it.visibility = 'shared'
               and exists (select 1 from public.swarm_members mine
                             join public.swarm_members other on other.swarm_id = mine.swarm_id and other.status = 'active'
                            where mine.user_id = $2 and mine.status = 'active' and other.user_id = it.owner_id)) as is_seen
      from public.tools it where it.id = $1`,
} as const;

export type SharedTable = keyof typeof STATEMENTS;

export interface Target {
  /** Null for what stands in no swarm. */
  readonly swarm_id: string | null;
  readonly is_own: boolean;
  readonly is_seen: boolean;
  /** The role of a membership, the status of a flag, who may see a tool. */
  readonly state: string | null;
}

export function isSharedTable(name: string): name is SharedTable {
  return Object.hasOwn(STATEMENTS, name);
}

export async function selectTarget(
  pool: pg.Pool,
  table: SharedTable,
  id: string,
  userId: string,
): Promise<Target | null> {
  const { rows } = await pool.query<Target>({ text: STATEMENTS[table], values: [id, userId] });
  return rows[0] ?? null;
}
