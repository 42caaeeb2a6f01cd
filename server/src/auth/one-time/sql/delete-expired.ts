import type { Queryable } from "../../auth-context.ts";

const BATCH = 200;

/** Rows that time has made useless, a few at a time, without waiting for anyone who still holds one. */
export async function deleteExpired(client: Queryable, now: Date, throttledBefore: Date): Promise<void> {
  await client.query(
    `with stale_tokens as (
       delete from auth.one_time_tokens where id in (
         select id from auth.one_time_tokens where expires_at < $1 order by expires_at limit ${BATCH} for update skip locked)
     ), stale_flows as (
       delete from auth.flow_states where id in (
         select id from auth.flow_states where expires_at < $1 order by expires_at limit ${BATCH} for update skip locked)
     )
     delete from auth.mail_throttles where (address_hash, slot) in (
       select address_hash, slot from auth.mail_throttles where sent_at < $2 order by sent_at limit ${BATCH}
       for update skip locked)`,
    [now, throttledBefore],
  );
}
