import type { Query } from "swarmbase/extension";

/** For whom an agent makes schedules, and in which conversation. */
export interface Maker {
  readonly userId: string;
  readonly agentId: string;
  readonly swarmId: string;
  /** Null means that a person has started the run. */
  readonly apiKeyId: string | null;
  readonly scopes: readonly string[] | null;
}

const HIDDEN = "select 1 from private.hidden_swarms where swarm_id = $1";

/** Whether the conversation is deleted after its run. */
export async function isHidden(query: Query, swarmId: string): Promise<boolean> {
  return (await query(HIDDEN, [swarmId])).length > 0;
}

// The lock makes the limit exact.
const LOCK = "select pg_advisory_xact_lock(hashtextextended($1::text || $2, 56))";
const COUNT = "select count(*)::int as count from public.schedules where user_id = $1 and created_by_agent_id = $2";
const DELETE_OVER = `
  delete from public.schedules where id = (
    select id from public.schedules
    where user_id = $1 and created_by_agent_id = $2 and run_at <= now() and not enabled and open_run_id is null
    order by run_at limit 1) returning id`;

/**
 * Whether the agent can make another schedule for the person, until the transaction ends. The oldest single time that is over makes
 * room: an agent that plans each of its next steps would otherwise use up what the person may have.
 */
export async function makeRoom(query: Query, { userId, agentId }: Maker, limit: number): Promise<boolean> {
  await query(LOCK, [userId, agentId]);
  const [counted] = await query<{ count: number }>(COUNT, [userId, agentId]);
  return (counted?.count ?? 0) < limit || (await query(DELETE_OVER, [userId, agentId])).length > 0;
}

export interface AgentSchedule {
  readonly id: string;
  readonly name: string;
  readonly message: string;
  readonly cron: string | null;
  readonly timeZone: string;
  readonly runAt: Date | null;
}

const INSERT = `
  insert into public.schedules (id, user_id, name, swarm_id, message, cron, time_zone, run_at, api_key_id, api_key_scopes,
    created_by_agent_id)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`;

export async function insertForAgent(query: Query, maker: Maker, schedule: AgentSchedule): Promise<void> {
  const { id, name, message, cron, timeZone, runAt } = schedule;
  const { userId, swarmId, apiKeyId, scopes, agentId } = maker;
  await query(INSERT, [id, userId, name, swarmId, message, cron, timeZone, runAt, apiKeyId, scopes, agentId]);
}

const DELETE = `
  delete from public.schedules
  where id::text = $1 and user_id = $2 and created_by_agent_id = $3 and swarm_id = $4 returning id`;

/** Returns false when the agent has made no such schedule for this person in this conversation. */
export async function deleteOwn(query: Query, { userId, agentId, swarmId }: Maker, id: string): Promise<boolean> {
  return (await query(DELETE, [id, userId, agentId, swarmId])).length > 0;
}
