import {
  isFinalRunStatus,
  type Json,
  type LiveRun as StreamedRun,
  type LiveToolCall,
  type LiveTurn,
  type RunStatus,
} from "@swarmbase/sdk";

export type { LiveTurn };

/** A tool call of a stream, whose output is a preview, or a stored one, whose output is complete. */
export type LiveTool = Omit<LiveToolCall, "output"> & { readonly output: Json | undefined };

/** The state of a run, built from its stream. */
export interface LiveRun extends StreamedRun {
  /** False while the stream is interrupted. */
  readonly isConnected: boolean;
}

export function hasEnded(run: { readonly status: RunStatus }): boolean {
  return isFinalRunStatus(run.status);
}
