import type { TranscriptMessage } from "../context/transcript.ts";
import type { AssignedTool } from "../tools/tool-port.ts";

// What private.advance_runs reads and returns. Names are those of its JSON.

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
  | {
      readonly op: "start_tool";
      readonly id: string;
      readonly turn_id: string;
      readonly agent_id: string;
      readonly tool_id: string;
      readonly tool_name: string;
      readonly tool_call_id: string;
      readonly input: unknown;
    }
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
  | {
      readonly op: "settle_reservations";
      readonly ids: readonly string[];
      readonly usage: UsageRow | null;
    }
  | {
      readonly op: "pause";
      readonly ttl_ms: number;
      readonly executions: readonly PausedExecution[];
      readonly progress: unknown;
    }
  | {
      readonly op: "finish_run";
      readonly status: "completed" | "partial" | "failed" | "cancelled";
      readonly stop_reason: string;
      readonly error: FaultRow | null;
    };

export interface PausedExecution {
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
  readonly framework: "provider_a" | "provider_b" | "provider_c";
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
  /** Of the end of a run; false: no other run of the swarm waits. */
  readonly hasNext?: boolean;
}

/** How many seqs a step may use for the events that it makes itself. */
export function countSeqs(step: Step): number {
  switch (step.op) {
    case "add_usage":
    case "settle_reservations":
    case "resume_turn":
      return 0;
    case "turn_status":
    case "start_tool":
    case "finish_tool":
    case "finish_run":
      return 1;
    case "start_turn":
      return 2;
    case "finish_turn":
      return 5;
    case "pause":
      return step.executions.length;
  }
}
