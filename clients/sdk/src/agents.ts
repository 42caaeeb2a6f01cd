import type { GrantParty } from "./grants.ts";

export const AGENT_STATUSES = ["idle", "thinking", "responding", "error"] as const;
export type AgentStatus = (typeof AGENT_STATUSES)[number];

/** Why the status of an agent changed; `manual` means that its owner set it. */
export const AGENT_STATUS_REASONS = [
  "manual",
  "run_started",
  "first_token",
  "tool_call",
  "waiting",
  "resumed",
  "run_completed",
  "run_failed",
  "cancelled",
  "worker_lost",
] as const;
export type AgentStatusReason = (typeof AGENT_STATUS_REASONS)[number];

/** The first one is the default of a new agent. */
export const FRAMEWORKS = ["provider_a", "provider_b", "provider_c"] as const;
export type Framework = (typeof FRAMEWORKS)[number];

export interface NumberSettingRow {
  readonly kind: "number" | "integer";
  readonly min: number;
  readonly max: number | null;
  readonly default: number;
}

export interface TextListSettingRow {
  readonly kind: "text list";
  readonly maxItems: number;
  readonly default: null;
}

export interface JsonSchemaSettingRow {
  readonly kind: "json schema";
  readonly maxBytes: number;
  readonly default: null;
}

export type AgentSettingRow = NumberSettingRow | TextListSettingRow | JsonSchemaSettingRow;

/** The known keys of `agents.settings`; other keys are kept as sent. Defaults apply when an agent answers. */
export const AGENT_SETTINGS = {
  temperature: { kind: "number", min: 0, max: 2, default: 0.7 },
  max_tokens: { kind: "integer", min: 1, max: null, default: 4096 },
  presence_penalty: { kind: "number", min: -2, max: 2, default: 0 },
  frequency_penalty: { kind: "number", min: -2, max: 2, default: 0 },
  top_p: { kind: "number", min: 0, max: 1, default: 1 },
  stop: { kind: "text list", maxItems: 16, default: null },
  response_schema: { kind: "json schema", maxBytes: 16_384, default: null },
  tool_history: { kind: "integer", min: 0, max: 50, default: 3 },
} as const satisfies Record<string, AgentSettingRow>;

export type AgentSettingName = keyof typeof AGENT_SETTINGS;

export interface AgentSettings {
  temperature?: number;
  max_tokens?: number;
  presence_penalty?: number;
  frequency_penalty?: number;
  top_p?: number;
  stop?: string[] | null;
  /** A JSON Schema. The agent answers with JSON that satisfies it. */
  response_schema?: Record<string, unknown> | null;
  /** The tool calls and results of at least this many earlier runs are part of the prompt; 0: none. */
  tool_history?: number;
  [other: string]: unknown;
}

/** A tool in a version of an agent, as it was at that time. */
export interface AgentVersionTool {
  tool_id: string;
  name: string;
  /** Of the assignment, like `configuration`. */
  enabled: boolean;
  configuration: Record<string, unknown>;
  approver: GrantParty | null;
  /** The service role wrote the assignment last. */
  is_vouched: boolean;
  /** Null for a tool that does not belong to the owner of the agent: it runs as it is. */
  definition: AgentVersionToolDefinition | null;
}

/** The columns of a tool that decide how it runs. Its secrets are not a part of a version. */
export interface AgentVersionToolDefinition {
  description: string;
  kind: string;
  input_schema: Record<string, unknown>;
  config: Record<string, unknown>;
  requires_approval: boolean;
  timeout_ms: number;
  max_output_chars: number;
  max_retries: number;
  idempotent: boolean;
  enabled: boolean;
  /** The service role wrote the tool last. */
  is_vouched: boolean;
}
