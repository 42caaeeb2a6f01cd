import type { Query } from "swarmbase/extension";

export interface DueCall {
  readonly id: string;
  readonly trigger_id: string;
  readonly user_id: string;
}

const READY = `c.status = 'waiting' and c.retry_at <= now() and c.user_id <> all ($1::uuid[])
    and exists (select 1 from public.triggers t where t.id = c.trigger_id and t.enabled)`;
// No user's calls delay those of others. The inner limit bounds the sort.
const DUE = `
  select id, trigger_id, user_id from (
    select id, trigger_id, user_id, row_number() over (partition by user_id order by created_at, id) as place
    from (select c.id, c.trigger_id, c.user_id, c.created_at from public.trigger_calls c
      where ${READY} order by c.retry_at, c.created_at limit 5000) as s) as s
  order by place limit $2`;

/** Accepted calls that can go on: those of each user in turn, in the order in which they came. */
export function findDue(query: Query, leftOut: readonly string[], count: number): Promise<readonly DueCall[]> {
  return query<DueCall>(DUE, [leftOut, count]);
}

const NEXT = `
  select (extract(epoch from c.retry_at - now()) * 1000)::float8 as wait_ms from public.trigger_calls c
  where c.status = 'waiting' and c.user_id <> all ($1::uuid[])
    and exists (select 1 from public.triggers t where t.id = c.trigger_id and t.enabled)
  order by c.retry_at limit 1`;

/** The time until the next call can go on; null when none waits. */
export async function findWait(query: Query, leftOut: readonly string[]): Promise<number | null> {
  const [row] = await query<{ wait_ms: number }>(NEXT, [leftOut]);
  return row?.wait_ms ?? null;
}

const HOLD = `
  update public.trigger_calls set retry_at = greatest(retry_at, now() + $2 * interval '1 second')
  where id in (select id from public.trigger_calls where user_id = $1 and status = 'waiting' for no key update skip locked)`;

/** The calls of a user who has reached a limit wait for its next window, too. */
export async function holdCalls(query: Query, userId: string, seconds: number): Promise<void> {
  await query(HOLD, [userId, seconds]);
}

const PRUNE = `
  delete from public.trigger_calls where id in (
    select c.id from public.triggers t
    left join lateral (select c.created_at from public.trigger_calls c where c.trigger_id = t.id
      order by c.created_at desc offset $1 limit 1) as newest on true
    cross join lateral (select c.id from public.trigger_calls c
      where c.trigger_id = t.id and c.status not in ('waiting', 'started')
        and c.created_at < greatest(now() - t.retention_days * interval '1 day', newest.created_at)
      order by c.created_at limit $2) as c
    limit $2) returning id`;

/** Deletes calls that are older than their trigger keeps them, and the oldest of too many. Returns how many. */
export async function pruneCalls(query: Query, keptOfTrigger: number, count: number): Promise<number> {
  return (await query(PRUNE, [keptOfTrigger, count])).length;
}
