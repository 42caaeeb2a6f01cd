import type { OpenedTurn } from "../run/live-run.ts";
import type { PlacedRun, RunPlace } from "./run-places.ts";
import type { RunContext } from "../run/sql/load-run.ts";

/** Executes the runs that are handed to it and the queued runs in the database. */
export interface Executor {
  /** The name under which this node starts runs. */
  readonly owner: string;
  readonly leaseMs: number;
  /** Reserves capacity for a run, for `take` or release. Null: the run must be queued. */
  reservePlace(run: PlacedRun): RunPlace | null;
  /** Executes a run that was started with `owner`. Returns at once. */
  take(started: StartedRun): void;
  /** Call when a run may be queued. Cheap: any number of calls cause one poll, here and on other nodes. */
  wake(): void;
  /** Call when a cancellation is stored. Aborts the run when this node executes it, else notifies the other nodes. */
  cancel(runId: string): void;
}

export interface StartedRun {
  readonly runId: string;
  readonly fence: number;
  /** By `performance.now()`, before the lease was requested: the answer may have arrived much later. */
  readonly leasedAtMs: number;
  /** Its share of the node's capacity; absent: one run without a provider and a user. */
  readonly place?: RunPlace;
  /** Absent: the context has to be loaded. */
  readonly context?: RunContext;
  /** The first turn, when it started with the run. */
  readonly opened?: OpenedTurn;
}
