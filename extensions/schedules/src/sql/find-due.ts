import type { Query } from "swarmbase/extension";
import { MAX_LATE_MS } from "../timing/decide-due.ts";

/** Users and schedules that this node leaves alone for now. */
export interface LeftOut {
  readonly users: readonly string[];
  readonly schedules: readonly string[];
}

const WAKES_AT = "coalesce(retry_at, next_run_at, '-infinity')";
const READY = `enabled and ${WAKES_AT} <= now() and user_id <> all ($1::uuid[]) and id <> all ($2::uuid[])`;
// No user's schedules delay those of others, and what has waited for a limit comes before later times, which would use up the next
// window otherwise. The inner limit bounds the sort.
const DUE = `
  select id from (
    select id, wakes_at, row_number() over (partition by user_id order by due_at nulls first, wakes_at) as place
    from (select id, user_id, due_at, ${WAKES_AT} as wakes_at from public.schedules where ${READY} order by 2 limit 5000) as s) as s
  order by place, wakes_at limit $3`;

/** Schedules that are due, or were never planned: those that have waited longest, of each user in turn. */
export async function findDue(query: Query, { users, schedules }: LeftOut, count: number): Promise<readonly string[]> {
  return (await query<{ id: string }>(DUE, [users, schedules, count])).map(({ id }) => id);
}

const NEXT = `
  select (extract(epoch from ${WAKES_AT} - now()) * 1000)::float8 as wait_ms from public.schedules
  where enabled and user_id <> all ($1::uuid[]) and id <> all ($2::uuid[]) and ${WAKES_AT} < 'infinity'
  order by ${WAKES_AT} limit 1`;

/** The time until the next schedule is due; null when none is. */
export async function findWait(query: Query, { users, schedules }: LeftOut): Promise<number | null> {
  const [row] = await query<{ wait_ms: number }>(NEXT, [users, schedules]);
  return row?.wait_ms ?? null;
}

const HOLD = `
  update public.schedules set waiting = 'limit', retry_at = now() + $2 * interval '1 second'
  where id in (select id from public.schedules
    where user_id = $1 and enabled and retry_at is null
      and next_run_at between now() - $3 * interval '1 millisecond' and now() for no key update skip locked)`;

/**
 * The due schedules of a user who has reached the rate limit wait for its next window, too. Of those that were missed before that, each is
 * decided about.
 */
export async function holdDue(query: Query, userId: string, seconds: number): Promise<void> {
  await query(HOLD, [userId, seconds, MAX_LATE_MS]);
}

const MARK = `
  update public.schedules set waiting = 'service'
  where id in (select id from public.schedules
    where enabled and waiting is null and ${WAKES_AT} between now() - $1 * interval '1 millisecond'
      and now() - $1 / 2 * interval '1 millisecond' for no key update skip locked)`;

/** What the service itself is late for is not missed: a node was there when it was due. */
export async function markDelayed(query: Query): Promise<void> {
  await query(MARK, [MAX_LATE_MS]);
}
