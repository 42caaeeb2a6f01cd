import type pg from "pg";
import { callRows } from "../../respond/sql/call-function.ts";

export interface EventRow {
  readonly run_id: string;
  readonly seq: number;
  readonly type: string;
  readonly agent_id: string | null;
  readonly restricted: boolean;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Most rows of one run that one question answers with. */
export const PAGE_ROWS = 200;

export interface EventsAfter {
  readonly runId: string;
  readonly seq: number;
}

/** The number of the last event that is stored; null when none is any more. */
export async function selectLastSeq(pool: pg.Pool, runId: string): Promise<number | null> {
  const [row] = await callRows<{ seq: number | null }>(pool, {
    name: "respond-last-seq",
    text: "select max(seq) as seq from public.run_events where run_id = $1::uuid",
    values: [runId],
  });
  return row?.seq ?? null;
}

/** The stored events of several runs, each after its own place, in order of seq. */
export function selectEventsAfter(pool: pg.Pool, wanted: readonly EventsAfter[]): Promise<EventRow[]> {
  return callRows(pool, {
    name: "respond-events",
    text: `select stored.run_id, stored.seq, stored.type, stored.agent_id, stored.restricted, stored.data
             from (select distinct on (run_id, after) run_id, after
                     from unnest($1::uuid[], $2::integer[]) as asked (run_id, after)) as wanted
            cross join lateral (select e.run_id, e.seq, e.type, e.agent_id, e.restricted, e.data
                                  from public.run_events e
                                 where e.run_id = wanted.run_id and e.seq > wanted.after
                                 order by e.seq
                                 limit ${PAGE_ROWS}) as stored
            order by stored.run_id, stored.seq`,
    values: [wanted.map(({ runId }) => runId), wanted.map(({ seq }) => seq)],
  });
}
