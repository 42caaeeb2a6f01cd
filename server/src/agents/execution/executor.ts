import type { Framework } from "@swarmbase/sdk";
import type { TranscriptMessage } from "../context/transcript.ts";
import type { RunPlace } from "./run-places.ts";
import type { RunContext } from "./sql/load-run.ts";
import type { SpeakingAgent } from "./steps.ts";

/** Carries out runs: those handed to it, and those that wait in the database. */
export interface Executor {
  /** The name under which this node starts runs. */
  readonly owner: string;
  readonly leaseMs: number;
  /** Capacity for a run with agents of these frameworks, to be handed to `take` or released. Null: the run must queue. */
  reservePlace(frameworks: readonly Framework[]): RunPlace | null;
  /** Carries out a run that was started under `owner`. Returns at once. */
  take(started: StartedRun): void;
  /** A run may be waiting. Cheap: any number of calls cause one poll, here and on other nodes. */
  wake(): void;
  /** A cancel was stored. Aborts the run at once when it is carried out here, else notifies the other nodes. */
  cancel(runId: string): void;
}

export interface StartedRun {
  readonly runId: string;
  readonly fence: number;
  /** Its share of the node's capacity; absent: one run, of no provider. */
  readonly place?: RunPlace;
  /** Absent: it has to be loaded. */
  readonly context?: RunContext;
  /** The first turn, where it began with the run. */
  readonly opened?: OpenedTurn;
}

/** A turn whose row and first events are stored. */
export interface OpenedTurn {
  readonly id: string;
  readonly messageId: string;
  readonly agent: SpeakingAgent;
  /** The messages of the swarm when the turn began. */
  readonly messages: readonly TranscriptMessage[];
}
