import type pg from "pg";
import type { EventRow } from "../stream-hub.ts";
import { callRows } from "../../rejections/call-function.ts";

export interface StoredEvent extends EventRow {
  readonly run_id: string;
}

/** The maximum number of rows of one run that one query returns. */
export const PAGE_ROWS = 200;

export interface EventQuery {
  readonly runId: string;
  readonly afterSeq: number;
}

/** The seq of the last stored event; null when none is stored any more. */
export async function selectLastSeq(pool: pg.Pool, runId: string): Promise<number | null> {
  const [row] = await callRows<{ seq: number | null }>(pool, {
    name: "respond-last-seq",
    text: "select max(seq) as seq from public.run_events where run_id = $1::uuid",
    values: [runId],
  });
  return row?.seq ?? null;
}

/** The stored events of several runs, for each query those after its seq, in order of seq. */
export function selectEventsAfter(pool: pg.Pool, queries: readonly EventQuery[]): Promise<StoredEvent[]> {
  return callRows(pool, {
    name: "respond-events",
    text: `select stored.run_id, stored.seq, stored.type, stored.agent_id, stored.restricted, stored.data
             from (select distinct on (run_id, after) run_id, after
                     from unnest($1::uuid[], $2::integer[]) as queries (run_id, after)) as query
            cross join lateral (select e.run_id, e.seq, e.type, e.agent_id, e.restricted, e.data
                                  from public.run_events e
                                 where e.run_id = query.run_id and e.seq > query.after
                                 order by e.seq
                                 limit ${PAGE_ROWS}) as stored
            order by stored.run_id, stored.seq`,
    values: [queries.map(({ runId }) => runId), queries.map(({ afterSeq }) => afterSeq)],
  });
}
