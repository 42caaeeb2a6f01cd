import type { Run } from "../../../data/runs.ts";

/** The duration of a run; null until it has ended. */
export function durationOf({ started_at: from, finished_at: until }: Run): number | null {
  return from === null || until === null ? null : Date.parse(until) - Date.parse(from);
}
