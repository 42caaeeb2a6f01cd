import type { Framework, StoredPrompt, SummaryFault } from "@swarmbase/sdk";
import type { PastCalls } from "../context/past-calls.ts";
import type { TranscriptMessage } from "../context/transcript.ts";
import type { EventRow } from "../streams/stream-hub.ts";
import type { AssignedTool, ToolQuestion, ToolWait } from "../tools/tool-port.ts";

// The JSON that private.advance_runs reads and returns.

export interface UsageRow {
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly output_tokens: number;
  readonly reasoning_tokens: number;
  readonly cost_usd: number | null;
  readonly estimated: boolean;
}

/** A row of model_calls. The usage is absent when the attempt was charged nothing. */
export interface ModelCallRow extends Partial<UsageRow> {
  readonly id: string;
  readonly attempt: number;
  readonly framework: Framework;
  readonly model: string;
  readonly status: "succeeded" | "failed" | "cancelled";
  readonly finish_reason: string | null;
  readonly error: FaultRow | null;
  readonly started_at: string;
  /** Until the first text or reasoning. */
  readonly first_token_ms: number | null;
  readonly duration_ms: number;
  /** Only in the first attempt of a call; the others send the same. */
  readonly prompt?: PromptRow;
}

/** A row of model_call_prompts. */
export interface PromptRow extends StoredPrompt {
  readonly tool_choice: string;
  readonly settings: Readonly<Record<string, unknown>>;
  /** Null means that no budget applies. */
  readonly max_output_tokens: number | null;
}

export type CancelReason = "cancelled" | "interrupted" | "disconnected";

export interface FaultRow {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly provider_status?: number | null;
}

export interface GuardrailFlag {
  readonly message_id: string;
  readonly guardrail_id: string;
  /** The name of the guardrail. */
  readonly category: string;
  readonly reason: string;
}

/** `run_turns.asked`. */
export interface QuestionRow {
  readonly by_agent_id: string;
  readonly by_agent_name: string;
  readonly message: string;
}

/** `run_turns.handoff`. */
export interface HandoffRow {
  readonly agent_id: string;
  readonly agent_name: string;
  /** Empty when the agent gave none. */
  readonly reason: string;
}

export type Step =
  | {
      readonly op: "start_turn";
      readonly turn_id: string;
      readonly message_id: string;
      readonly agent_id: string;
      readonly position: number;
      readonly default_models: Readonly<Record<string, string>>;
      readonly after_seq: number;
      readonly history_limit: number;
      /** What another agent asks. */
      readonly asked?: QuestionRow;
    }
  | {
      readonly op: "resume_turn";
      readonly turn_id: string;
      readonly agent_id: string;
      /** The node of the turn was lost: readers replace the text of the turn by this one. */
      readonly restart?: { readonly text: string };
      readonly history_limit: number;
      /** The last message that the turn could read. Absent means the last one when it began. */
      readonly last_seq?: number;
    }
  | {
      readonly op: "turn_status";
      readonly turn_id: string;
      readonly agent_id: string;
      readonly status: "thinking" | "responding" | "waiting";
      readonly reason: "first_token" | "tool_call" | "waiting";
      readonly first_token_ms: number | null;
    }
  | {
      readonly op: "reset_text";
      readonly turn_id: string;
      readonly message_id: string;
      readonly agent_id: string;
      readonly reason: "tool_calls" | "repair";
      /** Why the answer has to be repaired. */
      readonly error: string | null;
    }
  | {
      /** Messages are missing in the context, because no summary of them could be made. */
      readonly op: "note_left_out";
      readonly turn_id: string;
      readonly agent_id: string;
      readonly message_count: number;
      readonly reason: SummaryFault;
    }
  | ({ readonly op: "start_tool" } & ToolExecution)
  | {
      readonly op: "finish_tool";
      readonly id: string;
      readonly turn_id: string;
      readonly agent_id: string;
      readonly status: "succeeded" | "failed" | "timed_out" | "cancelled";
      readonly output: unknown;
      readonly output_chars: number | null;
      readonly truncated: boolean;
      readonly error: FaultRow | null;
      readonly attempts: number;
      readonly duration_ms: number;
    }
  | {
      readonly op: "finish_turn";
      readonly turn_id: string;
      readonly agent_id: string;
      readonly status: "completed" | "failed" | "cancelled";
      readonly finish_reason: string | null;
      readonly content: string;
      /** The value that the response_schema asked for. */
      readonly data: unknown;
      readonly handoff?: HandoffRow;
      readonly metadata: Readonly<Record<string, unknown>>;
      /** Whether flags of guardrails follow. */
      readonly flagged?: boolean;
      readonly error: FaultRow | null;
      readonly warnings: readonly unknown[];
      readonly attempts: number;
      /** Null means that it is as when the turn began. */
      readonly framework: string | null;
      readonly model: string | null;
      readonly first_token_ms: number | null;
      readonly duration_ms: number;
      readonly usage: UsageRow | null;
      /** Those that are not stored yet. */
      readonly model_calls: readonly ModelCallRow[];
      readonly payer_id: string;
    }
  | {
      /** Stores model calls before the end of the turn. */
      readonly op: "add_model_calls";
      /** Null when the calls belong to no turn. */
      readonly turn_id: string | null;
      /** The agent whose model was called. Not `agent_id`, whose row would be locked: the step does not concern its status. */
      readonly model_agent_id: string;
      readonly model_calls: readonly ModelCallRow[];
      /** Of calls that belong to no turn. */
      readonly grant_id?: string | null;
    }
  | {
      readonly op: "add_usage";
      readonly id: string;
      readonly agent_id: string;
      readonly framework: string;
      readonly model: string;
      readonly usage: UsageRow;
      readonly payer_id: string;
      readonly grant_id: string | null;
    }
  | { readonly op: "flag_messages"; readonly flags: readonly GuardrailFlag[] }
  | { readonly op: "settle_reservations"; readonly ids: readonly string[]; readonly usage: UsageRow | null }
  | { readonly op: "save_progress"; readonly progress: unknown }
  | {
      readonly op: "pause";
      readonly executions: readonly WaitingExecution[];
      /** How many runs of the starter may wait before a call may no longer wait, unless a person or the client must act soon. */
      readonly max_waiting: number;
      readonly progress: unknown;
    }
  | {
      readonly op: "finish_run";
      readonly status: "completed" | "partial" | "failed" | "cancelled";
      readonly stop_reason: string;
      readonly error: FaultRow | null;
    };

/** A row of tool_executions as it begins. */
export interface ToolExecution {
  readonly id: string;
  readonly turn_id: string;
  readonly agent_id: string;
  /** Null for a tool that the call brought. */
  readonly tool_id: string | null;
  readonly tool_name: string;
  readonly tool_call_id: string;
  readonly input: unknown;
  readonly approver: AssignedTool["approver"];
  readonly acts_for_starter: boolean;
  /** The call begins a sub-task. */
  readonly is_swarm?: boolean;
}

/** An execution that waits for an approval, the result of the client, a time, a signal or a sub-task. */
export interface WaitingExecution extends ToolExecution {
  readonly status: "pending_approval" | "pending_client" | "waiting";
  /** 0: without end. Absent for a wait, which has its own end. */
  readonly ttl_ms?: number;
  readonly wait?: ToolWait;
  /** What the tool asks a person; absent when the call itself waits for an approval. */
  readonly question?: ToolQuestion;
  /** The call of the tool stays open on this node. */
  readonly is_held?: boolean;
}

export interface SpeakingAgent {
  readonly id: string;
  readonly name: string;
  readonly user_id: string;
  readonly role: string | null;
  readonly framework: Framework;
  readonly model: string | null;
  readonly system_prompt: string | null;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly tools: readonly AssignedTool[];
  /** The tool calls of its earlier turns; null without any. */
  readonly past_calls: PastCalls | null;
  /** The latest summary that it has of the conversation; null without one. */
  readonly summary: { readonly up_to_seq: number; readonly text: string } | null;
}

export interface StepResult {
  readonly events: readonly EventRow[];
  readonly outcome?: "started" | "gone" | "cancelled";
  readonly agent?: SpeakingAgent;
  readonly messages?: readonly TranscriptMessage[];
  /** Only of `finish_run`. False means that no other run of the swarm is queued. */
  readonly hasNext?: boolean;
}

const SEQ_COUNTS: Readonly<Record<Exclude<Step["op"], "pause" | "resume_turn">, number>> = {
  add_usage: 0,
  add_model_calls: 0,
  settle_reservations: 0,
  flag_messages: 0,
  save_progress: 0,
  turn_status: 1,
  reset_text: 1,
  note_left_out: 1,
  start_tool: 1,
  finish_tool: 1,
  finish_run: 1,
  start_turn: 2,
  finish_turn: 5,
};

/** The maximum number of events that a step emits. */
export function countSeqs(step: Step): number {
  switch (step.op) {
    case "pause":
      return step.executions.length;
    case "resume_turn":
      return step.restart === undefined ? 1 : 2;
    default:
      return SEQ_COUNTS[step.op];
  }
}

export function createFault(code: string, message: string, retryable: boolean): FaultRow {
  return { code, message, retryable, provider_status: null };
}
