import type { Framework } from "@swarmbase/sdk";
import type { TranscriptMessage } from "../context/transcript.ts";
import type { RunPlace } from "./run-places.ts";
import type { RunContext } from "./sql/load-run.ts";
import type { SpeakingAgent } from "./steps.ts";

/** Carries runs out: those handed to it, and those that wait in the database. */
export interface Executor {
  /** For a run with agents of these frameworks. Null: this node has no room for it, and the run should queue. */
  offerRoom(frameworks: readonly Framework[]): RunOffer | null;
  readonly leaseMs: number;
  /** A run that `private.start_run` has started under the offered name. Returns at once; the run goes on by itself. */
  take(started: StartedRun): void;
  /** A run may be waiting. Cheap: any number of calls make one look, here and on other nodes. */
  wake(): void;
  /** A cancel was stored. Aborts at once when the run is carried out here, else tells the other nodes. */
  cancel(runId: string): void;
}

/** A place for a run, which is handed to `take` with it or released. */
interface RunOffer extends RunPlace {
  /** Under which name to start the run. */
  readonly owner: string;
}

export interface StartedRun {
  readonly runId: string;
  readonly fence: number;
  /** What it takes of the node's capacity; absent: one run, of no provider. */
  readonly place?: RunPlace;
  /** Where whoever started it was told. */
  readonly scene?: RunContext;
  /** Where its first turn was begun with it. */
  readonly opened?: OpenedTurn;
}

/** A turn whose row and first events are stored. */
export interface OpenedTurn {
  readonly id: string;
  readonly messageId: string;
  readonly agent: SpeakingAgent;
  /** What the swarm had said by then. */
  readonly messages: readonly TranscriptMessage[];
}
