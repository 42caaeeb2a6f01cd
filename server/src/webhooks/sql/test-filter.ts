import type pg from "pg";

export interface TestedEvent {
  /** As in the envelope. */
  readonly event_id: string;
  readonly type: string;
  readonly created_at: string;
  readonly passes: boolean;
}

/** What is wrong with a filter, by path; null means nothing. */
export async function selectFilterFaults(pool: pg.Pool, filter: string): Promise<Record<string, string> | null> {
  const { rows } = await pool.query<{ faults: Record<string, string> | null }>(
    "select private.find_filter_faults($1::jsonb) as faults",
    [filter],
  );
  return rows[0]?.faults ?? null;
}

/** The last 100 events among the last 5,000 deliveries of a user and the last of each feed, the newest first. */
export async function selectTestedEvents(pool: pg.Pool, userId: string, filter: string): Promise<TestedEvent[]> {
  const { rows } = await pool.query<TestedEvent>(
    `select 'evt_' || latest.event_id as event_id, latest.payload ->> 'type' as type,
       latest.payload ->> 'created_at' as created_at, private.passes_filter($2::jsonb, latest.payload::jsonb) as passes
     from (
       select distinct on (known.event_id) known.*
       from (
         (select d.event_id, d.payload, d.created_at from public.webhook_deliveries d
          where d.user_id = $1 order by d.created_at desc limit 5000)
         union all
         select e.event_id, e.payload, e.created_at
         from public.event_feeds f
         cross join lateral (
           select * from private.event_feed_entries e where e.feed_id = f.id order by e.position desc limit 100) as e
         where f.user_id = $1) as known
       order by known.event_id, known.created_at desc) as latest
     -- Bodies of the webhooks of runs are no envelopes.
     where latest.payload ->> 'id' = 'evt_' || latest.event_id
     order by latest.created_at desc, latest.event_id desc limit 100`,
    [userId, filter],
  );
  return rows;
}
