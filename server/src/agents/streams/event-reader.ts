import type pg from "pg";
import { createBatcher } from "../../concurrency/index.ts";
import type { RunEvent } from "./stream-hub.ts";
import { expandEvent } from "./expand-event.ts";
import { type EventRow, PAGE_ROWS, selectEventsAfter, selectLastSeq } from "./sql/run-events.ts";

export interface EventPage {
  readonly events: readonly RunEvent[];
  /** More is stored than came. */
  readonly isFull: boolean;
}

export interface EventReader {
  read(runId: string, afterSeq: number): Promise<EventPage>;
  /** Null: nothing of the run is stored any more. */
  readLastSeq(runId: string): Promise<number | null>;
}

interface EventQuery {
  readonly runId: string;
  readonly seq: number;
}

/** Reads that arrive while another one is in progress go together in the next statement. */
export function createEventReader(pool: pg.Pool): EventReader {
  const read = createBatcher<EventQuery, EventPage>({
    run: async (queries) => {
      const byRun = groupByRun(await selectEventsAfter(pool, queries));
      return queries.map(({ runId, seq }) => pageOf(byRun.get(runId) ?? [], seq));
    },
  });
  return {
    read: (runId, seq) => read({ runId, seq }),
    readLastSeq: (runId) => selectLastSeq(pool, runId),
  };
}

function groupByRun(rows: readonly EventRow[]): Map<string, EventRow[]> {
  const byRun = new Map<string, EventRow[]>();
  for (const row of rows) {
    const known = byRun.get(row.run_id);
    if (known === undefined) byRun.set(row.run_id, [row]);
    else known.push(row);
  }
  return byRun;
}

/** Of a run that several follow there are also the rows of those who are further, some of them twice. */
function pageOf(rows: readonly EventRow[], afterSeq: number): EventPage {
  const ahead = rows.filter(({ seq }, at) => seq > afterSeq && rows[at - 1]?.seq !== seq);
  const page = ahead.slice(0, PAGE_ROWS);
  const events = page.flatMap(expandEvent).filter(({ seq }) => seq > afterSeq);
  return { events: events.sort((one, other) => one.seq - other.seq), isFull: page.length === PAGE_ROWS };
}
