import type { UIMessage } from "ai";
import type { ToolQuestion } from "../function-types/run-answers.ts";
import type { RunStatus, RunStopReason } from "../runs.ts";

/** The metadata of an answer: its run, and the position in its stream. */
export type SwarmMetadata = {
  runId?: string;
  swarmId?: string;
  lastEventId?: number;
  status?: RunStatus;
  stopReason?: RunStopReason | null;
};

export type SwarmDataParts = {
  /** Before the parts of a turn: who speaks. */
  turn: { turnId: string; messageId: string; agentId: string; agentName: string; model: string | null };
  /** A turn failed. */
  error: { turnId: string; agentId: string | null; code: string; message: string };
  /** What the tool of a call asks that waits for an approval. With the kind `connect`, a sign-in alone answers it. */
  question: { toolCallId: string; question: ToolQuestion };
};

/** A message of `useChat`. The answer of all agents of a run is one message, with a step for each turn. */
export type SwarmUIMessage = UIMessage<SwarmMetadata, SwarmDataParts>;
