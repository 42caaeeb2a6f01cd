import { AGENT_SETTINGS, type AgentSettingRow, FRAMEWORKS, GUARDRAIL_ERROR_POLICIES } from "@swarmbase/sdk";
import type { Schema } from "../openapi/document.ts";

const tokens: Schema = { type: ["integer", "null"], minimum: 0 };
const dollars: Schema = { type: ["number", "null"], minimum: 0 };

const replacement: Schema = { type: "string", maxLength: 10_000 };
const onError: Schema = { type: "string", enum: [...GUARDRAIL_ERROR_POLICIES] };

/** The columns `settings` of agents and swarms, whose other keys are kept as sent, and `config` of guardrails. */
export const SETTINGS_SCHEMAS: Readonly<Record<string, Schema>> = {
  AgentSettings: {
    type: "object",
    description: "Parameters of the model. Other keys are kept as sent.",
    properties: Object.fromEntries(
      Object.entries<AgentSettingRow>(AGENT_SETTINGS).map(([key, row]) => [key, describeSetting(row)]),
    ),
    additionalProperties: true,
  },
  SwarmSettings: {
    type: "object",
    description: "Limits of runs, budgets and moderation. Other keys are kept as sent.",
    properties: {
      max_turns: { type: "integer", minimum: 1, maximum: 50 },
      max_rounds: { type: "integer", minimum: 1, maximum: 10 },
      // The widest bounds that an operator can permit.
      max_tool_steps: { type: "integer", minimum: 1, maximum: 1_000 },
      max_tool_calls: { type: "integer", minimum: 1, maximum: 10_000 },
      timeout_ms: { type: "integer", minimum: 1_000, maximum: 604_800_000 },
      history_limit: { type: "integer", minimum: 1, maximum: 500 },
      on_agent_error: { type: "string", enum: ["continue", "stop"] },
      on_conflict: { type: "string", enum: ["enqueue", "reject", "interrupt"] },
      budget: {
        type: ["object", "null"],
        properties: {
          max_tokens: tokens,
          max_cost_usd: dollars,
          max_tokens_per_day: tokens,
          max_cost_usd_per_day: dollars,
        },
        additionalProperties: true,
      },
      moderation: {
        type: "object",
        properties: {
          enabled: { type: "boolean" },
          blocklist: { type: "array", maxItems: 1_000, items: { type: "string", minLength: 1 } },
          action: { type: "string", enum: ["flag", "block"] },
        },
        additionalProperties: true,
      },
      preamble: { type: "string", maxLength: 4_000 },
      auto_respond: { type: "boolean" },
    },
    additionalProperties: true,
  },
  GuardrailConfig: {
    description: "By kind of the guardrail: `pattern`, `schema`, `model` or `webhook`.",
    anyOf: [
      guardrailConfig("pattern", { pattern: { type: "string", minLength: 1, maxLength: 500 } }),
      guardrailConfig("schema", { schema: { type: "object", additionalProperties: true } }),
      guardrailConfig("policy", {
        policy: { type: "string", minLength: 1, maxLength: 10_000 },
        framework: { type: "string", enum: [...FRAMEWORKS] },
        model: { type: "string", minLength: 1, maxLength: 200 },
        on_error: onError,
      }),
      guardrailConfig("url", {
        url: { type: "string", maxLength: 2048 },
        headers: { type: "object", additionalProperties: { type: "string" } },
        timeout_ms: { type: "integer", minimum: 100, maximum: 30_000 },
        on_error: onError,
      }),
    ],
  },
};

function guardrailConfig(needed: string, properties: Readonly<Record<string, Schema>>): Schema {
  return {
    type: "object",
    properties: { ...properties, replacement },
    required: [needed],
    additionalProperties: false,
  };
}

function describeSetting(row: AgentSettingRow): Schema {
  if (row.kind === "json schema") {
    return {
      type: ["object", "null"],
      description: `A JSON Schema of at most ${row.maxBytes} bytes. The agent answers with JSON that satisfies it.`,
      additionalProperties: true,
      default: row.default,
    };
  }
  if (row.kind === "text list") {
    return { type: ["array", "null"], items: { type: "string" }, maxItems: row.maxItems, default: row.default };
  }
  return {
    type: row.kind,
    minimum: row.min,
    ...(row.max !== null && { maximum: row.max }),
    default: row.default,
  };
}
