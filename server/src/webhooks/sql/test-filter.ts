import type pg from "pg";

export interface TestedEvent {
  /** As in the envelope. */
  readonly event_id: string;
  readonly type: string;
  readonly created_at: string;
  readonly passes: boolean;
}

/** What is wrong with a filter, by path; null: nothing. */
export async function selectFilterFaults(pool: pg.Pool, filter: string): Promise<Record<string, string> | null> {
  const { rows } = await pool.query<{ faults: Record<string, string> | null }>(
    "select private.find_filter_faults($1::jsonb) as faults",
    [filter],
  );
  return rows[0]?.faults ?? null;
}

/** The last 100 events among the last 5,000 deliveries of a user, the newest first, and whether they pass the filter. */
export async function selectTestedEvents(pool: pg.Pool, userId: string, filter: string): Promise<TestedEvent[]> {
  const { rows } = await pool.query<TestedEvent>(
    `select 'evt_' || d.event_id as event_id, d.event_type as type, d.payload ->> 'created_at' as created_at,
       private.passes_filter($2::jsonb, d.payload::jsonb) as passes
     from (
       select distinct on (known.event_id) known.id, known.created_at
       from (
         select d.id, d.event_id, d.created_at from public.webhook_deliveries d
         where d.user_id = $1 and d.payload ->> 'id' = 'evt_' || d.event_id
         order by d.created_at desc limit 5000) as known
       order by known.event_id, known.created_at desc) as latest
     join public.webhook_deliveries d on d.id = latest.id
     order by latest.created_at desc, latest.id desc limit 100`,
    [userId, filter],
  );
  return rows;
}
