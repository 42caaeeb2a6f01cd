import type { Framework } from "./agents.ts";
import type { JsonObject } from "./json.ts";

export const GUARDRAIL_KINDS = ["pattern", "schema", "model", "webhook"] as const;
export type GuardrailKind = (typeof GUARDRAIL_KINDS)[number];

/** `input`: what an agent reads. `output`: what it answers. */
export const GUARDRAIL_STAGES = ["input", "output"] as const;
export type GuardrailStage = (typeof GUARDRAIL_STAGES)[number];

/** The first one is the default of a new guardrail. */
export const GUARDRAIL_ACTIONS = ["block", "rewrite"] as const;
export type GuardrailAction = (typeof GUARDRAIL_ACTIONS)[number];

/** What happens when a check cannot be made. The first one is the default. */
export const GUARDRAIL_ERROR_POLICIES = ["block", "pass"] as const;
export type GuardrailErrorPolicy = (typeof GUARDRAIL_ERROR_POLICIES)[number];

export const GUARDRAIL_DEFAULTS = { replacement: "[removed]", timeoutMs: 5_000, onError: "block" } as const;

/** Of an agent, and of a swarm. */
export const GUARDRAIL_LIMIT = 20;

interface Rewriting {
  /** What `rewrite` puts in place of a match, or of the whole text for the other kinds. */
  replacement?: string;
}

/** Trips when the pattern occurs in the text. The syntax is RE2's: no look-around, no back-references. */
export interface PatternGuardrailConfig extends Rewriting {
  pattern: string;
}

/** Trips unless the text is JSON that satisfies the schema. */
export interface SchemaGuardrailConfig extends Rewriting {
  schema: JsonObject;
}

/** Trips when the model finds that the text violates the policy. */
export interface ModelGuardrailConfig extends Rewriting {
  policy: string;
  /** Default: those of the agent that reads or writes the text. */
  framework?: Framework;
  model?: string;
  on_error?: GuardrailErrorPolicy;
}

/** Trips unless the endpoint answers `{"allowed": true}` in time. */
export interface WebhookGuardrailConfig extends Rewriting {
  url: string;
  headers?: Record<string, string>;
  timeout_ms?: number;
  on_error?: GuardrailErrorPolicy;
}

/** `guardrails.config`, by kind. */
export type GuardrailConfig =
  | PatternGuardrailConfig
  | SchemaGuardrailConfig
  | ModelGuardrailConfig
  | WebhookGuardrailConfig;

/** A guardrail in a version of an agent, as it was at that time. Its secret is not a part of a version. */
export interface AgentVersionGuardrail {
  guardrail_id: string;
  name: string;
  kind: GuardrailKind;
  stage: GuardrailStage;
  action: GuardrailAction;
  config: GuardrailConfig;
  position: number;
  is_active: boolean;
}

/** The JSON body of a request to the webhook of a guardrail. Verify it as you verify a webhook. */
export interface GuardrailRequest {
  id: string;
  type: `guardrail.${GuardrailStage}`;
  created_at: string;
  api_version: string;
  data: {
    guardrail_id: string;
    text: string;
    swarm_id: string;
    agent_id: string;
    run_id: string;
    /** Null for the answer of an agent, and for a question that one agent asks another. */
    message_id: string | null;
  };
}

/** The JSON body of the response. Anything else counts as an error. */
export interface GuardrailResponse {
  allowed: boolean;
  /** Stored with the flag of the message. */
  reason?: string;
  /** What `rewrite` puts in place of the text. Default: `replacement` of the configuration. */
  replacement?: string;
}
