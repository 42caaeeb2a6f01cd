import type { Run } from "../../../data/runs.ts";

/** From the beginning of a run to its end, or null while it has none. */
export function durationOf({ started_at: from, finished_at: until }: Run): number | null {
  return from === null || until === null ? null : Date.parse(until) - Date.parse(from);
}
