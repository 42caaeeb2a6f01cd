import type { RunStatus } from "./runs.ts";

/** One of `schedules.last_outcomes`. */
export interface ScheduleOutcome {
  /** Null means that the run was started by hand. */
  readonly due_at: string | null;
  readonly at: string;
  /** Of a run that has started: `started`, then its status; `deleted` when the run is gone. */
  readonly outcome: "started" | "waiting" | "skipped" | "missed" | "rejected" | "deleted" | RunStatus;
  readonly run_id?: string;
  readonly swarm_id?: string;
  readonly ended_at?: string;
  readonly code?: string;
  readonly message?: string;
}
