import type { Framework } from "@swarmbase/sdk";
import type { QuestionRow, ToolExecution } from "../writer/steps.ts";
import type { ModelImage, ModelMessage, ModelToolCall, ModelUsage, ModelWarning } from "../providers/model-port.ts";
import type { ToolAnswers, ToolQuestion, ToolWait } from "../tools/tool-port.ts";

export type TurnStop =
  | "budget_exceeded"
  | "loop_detected"
  | "max_tool_steps"
  | "max_turns"
  | "approval_expired"
  | "empty_response";

/** The part of a turn's state that is stored for a node that continues the turn. */
export interface StoredTurn {
  readonly id: string;
  readonly messageId: string;
  readonly position: number;
  /** Not null when the coordinator asked for this turn. */
  readonly asked: QuestionRow | null;
  messages: ModelMessage[];
  text: string;
  /** Readers do not see the text before it was checked. Absent in rows of earlier versions. */
  isWithheld?: boolean;
  firstTokenMs: number | null;
  toolSteps: number;
  /** Of the provider that answered last, which can be a fallback. */
  framework: Framework;
  model: string;
  attempts: number;
  warnings: (ModelWarning | { readonly setting: string; readonly message: string; readonly messageCount: number })[];
  usage: ModelUsage | null;
  costUsd: number | null;
  /** Of calls whose usage is recorded with the end of the turn. */
  readonly reservationIds: string[];
}

export type TurnEnd =
  | { readonly kind: "finished"; readonly text: string; readonly isError: boolean; readonly stop: TurnStop | null }
  | { readonly kind: "gone" }
  | { readonly kind: "suspended"; readonly turn: SuspendedTurn };

/** A turn that has begun, as the run sees it. */
export interface OpenTurn {
  readonly asked: QuestionRow | null;
  /** Null while the turn has not ended. */
  readEnd(): TurnEnd | null;
  /** What another node needs to continue it. */
  snapshot(): SuspendedTurn;
}

/**
 * A tool call of a turn that waits: answered, waiting for an approval, the client, a time or a signal, or for another agent's turn that
 * waits. Of a turn whose node was lost, a call may also not have begun, or have begun without a recorded outcome.
 */
export type WaitingCall =
  | {
      readonly kind: "answered";
      readonly call: ModelToolCall;
      readonly output: string;
      readonly isError: boolean;
      readonly images?: readonly ModelImage[];
    }
  | { readonly kind: "approval"; readonly call: ModelToolCall; readonly execution: ToolExecution }
  | {
      /** The tool asks a person. */
      readonly kind: "question";
      readonly call: ModelToolCall;
      readonly execution: ToolExecution;
      /** Those without an answer; they are asked one after the other. */
      readonly questions: readonly ToolQuestion[];
      readonly answers: ToolAnswers;
    }
  | {
      readonly kind: "client";
      readonly call: ModelToolCall;
      readonly execution: ToolExecution;
      readonly maxOutputChars: number;
    }
  | {
      readonly kind: "wait";
      readonly call: ModelToolCall;
      readonly execution: ToolExecution;
      readonly maxOutputChars: number;
      readonly wait: ToolWait;
    }
  | { readonly kind: "member"; readonly call: ModelToolCall; readonly turn: SuspendedTurn }
  | { readonly kind: "pending"; readonly call: ModelToolCall }
  | {
      readonly kind: "started";
      readonly call: ModelToolCall;
      readonly execution: ToolExecution;
      readonly answers: ToolAnswers;
    };

/** A tool call while its turn is executed. */
export type LiveCall =
  | WaitingCall
  | {
      readonly kind: "asking";
      readonly call: ModelToolCall;
      /** Of the agent that is asked. */
      readonly turnId: string;
    };

/** The state that another node needs to continue a turn. Stored as JSON. `messages` are those of the turn alone: its context is built again. */
export interface SuspendedTurn extends Readonly<Omit<StoredTurn, "reservationIds" | "framework" | "model">> {
  /** Null means that of the agent. */
  readonly framework: Framework | null;
  readonly model: string | null;
  /** Absent in rows of earlier versions. */
  readonly reservationIds?: readonly string[];
  readonly agentId: string;
  readonly waiting: readonly WaitingCall[];
  readonly durationMs: number;
  /** The last message of the swarm that the turn could read. Absent means that it is not known. */
  readonly lastSeq?: number;
  /** The maximum number of messages in the context, once the model has rejected a longer one. */
  readonly contextLimit?: number;
  /** The number of messages in the recorded prompt of the last model call, and its hash. */
  readonly promptedCount?: number;
  readonly promptedHash?: string | null;
  /** The turn has begun and done nothing else that is stored. */
  readonly isBlank?: boolean;
  readonly isRepairing?: boolean;
  readonly usedTool?: boolean;
  readonly hasExpired?: boolean;
  readonly isPrivate?: boolean;
}

interface BlankTurn extends Pick<SuspendedTurn, "id" | "messageId" | "position" | "agentId"> {
  readonly asked: QuestionRow | null;
}

/** A turn of which nothing but its start is stored, if that. */
export function createBlankTurn({ id, messageId, position, agentId, asked }: BlankTurn): SuspendedTurn {
  return {
    id,
    messageId,
    position,
    agentId,
    asked,
    isBlank: true,
    messages: [],
    waiting: [],
    text: "",
    firstTokenMs: null,
    toolSteps: 0,
    framework: null,
    model: null,
    attempts: 0,
    warnings: [],
    usage: null,
    costUsd: 0,
    durationMs: 0,
  };
}
