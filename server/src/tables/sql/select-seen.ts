import type pg from "pg";

const IS_MEMBER = `exists (select 1 from public.swarm_members seat
                          where seat.swarm_id = it.swarm_id and seat.user_id = $2 and seat.status = 'active')`;

/** As the row rules for reading have it. What a tombstone said is gone for everybody, so nobody is refused it. */
const STATEMENTS = {
  swarms: "select 1 from public.swarm_members where swarm_id = $1 and user_id = $2 and status = 'active'",
  swarm_members: `select 1 from public.swarm_members it where it.id = $1 and (it.user_id = $2 or ${IS_MEMBER})`,
  swarm_agents: `select 1 from public.swarm_agents it where it.id = $1 and (it.user_id = $2 or ${IS_MEMBER})`,
  messages: `select 1 from public.messages it where it.id = $1 and it.deleted_at is null and ${IS_MEMBER}`,
  message_flags: `
    select 1 from public.message_flags it
     where it.id = $1
       and (it.flagged_by = $2
            or exists (select 1 from public.swarm_members seat
                        where seat.swarm_id = it.swarm_id and seat.user_id = $2 and seat.status = 'active'
                          and seat.role in ('owner', 'admin')))`,
} as const;

export type SharedTable = keyof typeof STATEMENTS;

export function isSharedTable(name: string): name is SharedTable {
  return Object.hasOwn(STATEMENTS, name);
}

export async function selectSeen(pool: pg.Pool, table: SharedTable, id: string, userId: string): Promise<boolean> {
  const { rowCount } = await pool.query({ text: STATEMENTS[table], values: [id, userId] });
  return rowCount !== 0;
}
