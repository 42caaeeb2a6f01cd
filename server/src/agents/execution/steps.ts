import type { Framework } from "@swarmbase/sdk";
import type { TranscriptMessage } from "../context/transcript.ts";
import type { AssignedTool } from "../tools/tool-port.ts";

// The JSON that private.advance_runs reads and returns.

export interface EventRow {
  readonly seq: number;
  readonly type: string;
  readonly agent_id: string | null;
  readonly restricted: boolean;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface UsageRow {
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly output_tokens: number;
  readonly reasoning_tokens: number;
  readonly cost_usd: number | null;
  readonly estimated: boolean;
}

export type CancelReason = "cancelled" | "interrupted" | "disconnected";

export interface FaultRow {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly provider_status?: number | null;
}

export type Step =
  | {
      readonly op: "start_turn";
      readonly turn_id: string;
      readonly message_id: string;
      readonly agent_id: string;
      readonly position: number;
      readonly default_models: Readonly<Record<string, string>>;
      readonly max_concurrent: number;
      readonly after_seq: number;
      readonly history_limit: number;
    }
  | { readonly op: "resume_turn"; readonly turn_id: string; readonly agent_id: string }
  | {
      readonly op: "turn_status";
      readonly turn_id: string;
      readonly agent_id: string;
      readonly status: "thinking" | "responding";
      readonly reason: "first_token" | "tool_call";
      readonly first_token_ms: number | null;
    }
  | ({ readonly op: "start_tool" } & ToolExecution)
  | {
      readonly op: "finish_tool";
      readonly id: string;
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
      readonly metadata: Readonly<Record<string, unknown>>;
      readonly error: FaultRow | null;
      readonly warnings: readonly unknown[];
      readonly attempts: number;
      readonly framework: string;
      readonly model: string;
      readonly first_token_ms: number | null;
      readonly duration_ms: number;
      readonly usage: UsageRow | null;
      readonly payer_id: string;
    }
  | {
      readonly op: "add_usage";
      readonly id: string;
      readonly agent_id: string;
      readonly framework: string;
      readonly model: string;
      readonly usage: UsageRow;
      readonly payer_id: string;
    }
  | { readonly op: "settle_reservations"; readonly ids: readonly string[]; readonly usage: UsageRow | null }
  | {
      readonly op: "pause";
      readonly ttl_ms: number;
      readonly executions: readonly ToolExecution[];
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
  readonly tool_id: string;
  readonly tool_name: string;
  readonly tool_call_id: string;
  readonly input: unknown;
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
}

export interface StepResult {
  readonly events: readonly EventRow[];
  readonly outcome?: "started" | "gone" | "busy" | "cancelled";
  readonly agent?: SpeakingAgent;
  readonly messages?: readonly TranscriptMessage[];
  /** Only of `finish_run`. False: no other run of the swarm is queued. */
  readonly hasNext?: boolean;
}

const SEQ_COUNTS: Readonly<Record<Exclude<Step["op"], "pause">, number>> = {
  add_usage: 0,
  settle_reservations: 0,
  resume_turn: 0,
  turn_status: 1,
  start_tool: 1,
  finish_tool: 1,
  finish_run: 1,
  start_turn: 2,
  finish_turn: 5,
};

/** The maximum number of events that a step emits. */
export function countSeqs(step: Step): number {
  return step.op === "pause" ? step.executions.length : SEQ_COUNTS[step.op];
}

export function createFault(code: string, message: string, retryable: boolean): FaultRow {
  return { code, message, retryable, provider_status: null };
}
