import type { RunEvent } from "./stream-hub.ts";
import type { EventRow } from "./sql/run-events.ts";

/** Deltas are stored many to a row; a reader gets each under its own seq, as live readers did. */
export function expandEvent(row: EventRow): RunEvent[] {
  const { run_id: runId, seq: lastSeq, type, agent_id: agentId, restricted: isRestricted } = row;
  const { deltas, first_seq: _, ...data } = row.data;
  if (!Array.isArray(deltas)) return [{ runId, seq: lastSeq, type, agentId, isRestricted, data: row.data }];
  const firstSeq = lastSeq - deltas.length + 1;
  return deltas.map((delta: unknown, at) => ({
    runId,
    seq: firstSeq + at,
    type,
    agentId,
    isRestricted,
    data: { ...data, delta },
  }));
}

/** Both in order of seq, each event once. */
export function mergeEvents(left: readonly RunEvent[], right: readonly RunEvent[], after: number): readonly RunEvent[] {
  const bySeq = new Map<number, RunEvent>();
  for (const event of left) if (event.seq > after) bySeq.set(event.seq, event);
  for (const event of right) if (event.seq > after) bySeq.set(event.seq, event);
  return [...bySeq.values()].sort((one, other) => one.seq - other.seq);
}
