import type { TranscriptMessage } from "../context/transcript.ts";
import type { RunScene } from "./sql/load-run.ts";
import type { SpeakingAgent } from "./steps.ts";

/** Carries runs out: those handed to it, and those that wait in the database. */
export interface Executor {
  /** Under which name to start a run that is then handed to `take`; null when this node has no room and the run should queue. */
  offerRoom(): string | null;
  readonly leaseMs: number;
  /** A run that `private.start_run` has started under the offered name. Returns at once; the run goes on by itself. */
  take(started: StartedRun): void;
  /** A run may be waiting. Cheap: any number of calls make one look, here and on other nodes. */
  wake(): void;
  /** A cancel was stored. Aborts at once when the run is carried out here, else tells the other nodes. */
  cancel(runId: string): void;
}

export interface StartedRun {
  readonly runId: string;
  readonly fence: number;
  /** Where whoever started it was told. */
  readonly scene?: RunScene;
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
