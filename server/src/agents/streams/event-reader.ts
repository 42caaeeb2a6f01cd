import { createBatcher } from "@swarmbase/concurrency";
import type pg from "pg";
import type { RunEvent } from "./stream-hub.ts";
import { type EventQuery, PAGE_ROWS, selectEventsAfter, selectLastSeq, type StoredEvent } from "./sql/run-events.ts";

export interface EventPage {
  readonly events: readonly RunEvent[];
  /** More events are stored than the page holds. */
  readonly isFull: boolean;
}

export interface EventReader {
  read(runId: string, afterSeq: number): Promise<EventPage>;
  /** Returns null when no event of the run is stored any more. */
  readLastSeq(runId: string): Promise<number | null>;
}

/** Reads that arrive while another one is in progress share the next statement. */
export function createEventReader(pool: pg.Pool): EventReader {
  const read = createBatcher<EventQuery, EventPage>({
    run: async (queries) => {
      const byRun = Map.groupBy(await selectEventsAfter(pool, queries), (row) => row.run_id);
      return queries.map(({ runId, afterSeq }) => toPage(byRun.get(runId) ?? [], afterSeq));
    },
  });
  return {
    read: (runId, afterSeq) => read({ runId, afterSeq }),
    readLastSeq: (runId) => selectLastSeq(pool, runId),
  };
}

/** Several subscribers of a run share its rows, which may be before the seq of this one, or duplicates. */
function toPage(rows: readonly StoredEvent[], afterSeq: number): EventPage {
  const ahead = rows.filter(({ seq }, index) => seq > afterSeq && rows[index - 1]?.seq !== seq);
  const page = ahead.slice(0, PAGE_ROWS);
  const events = page.flatMap(expandEvent).filter(({ seq }) => seq > afterSeq);
  return { events: events.sort((one, other) => one.seq - other.seq), isFull: page.length === PAGE_ROWS };
}

/** A stored row holds many deltas. A reader gets each with its own seq, as live readers do. */
export function expandEvent(row: StoredEvent): RunEvent[] {
  const { run_id: runId, seq: lastSeq, type, agent_id: agentId, restricted: isRestricted } = row;
  const { deltas, first_seq: _, ...data } = row.data;
  if (!Array.isArray(deltas)) return [{ runId, seq: lastSeq, type, agentId, isRestricted, data: row.data }];
  const firstSeq = lastSeq - deltas.length + 1;
  return deltas.map((delta: unknown, index) => ({
    runId,
    seq: firstSeq + index,
    type,
    agentId,
    isRestricted,
    data: { ...data, delta },
  }));
}

/** The events after a seq, in order of seq, without duplicates. */
export function mergeEvents(events: readonly RunEvent[], afterSeq: number): readonly RunEvent[] {
  const bySeq = new Map<number, RunEvent>();
  for (const event of events) if (event.seq > afterSeq) bySeq.set(event.seq, event);
  return [...bySeq.values()].sort((one, other) => one.seq - other.seq);
}
