import type { ExtensionTable } from "swarmbase/extension";
import { findPathFault } from "./message/look-up.ts";
import { findTemplateFault } from "./message/render-message.ts";

const TOOL_NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

export const TRIGGERS: ExtensionTable = {
  name: "triggers",
  ownerColumn: "user_id",
  columns: {
    name: { type: "text", min: 1, max: 100, isRequired: true },
    agent_id: { type: "uuid", isNullable: true },
    swarm_id: { type: "uuid", isNullable: true },
    message: {
      type: "text",
      min: 1,
      max: 8_000,
      isRequired: true,
      findFault: (template) => findTemplateFault(String(template)),
    },
    conversation: { type: "text", choices: ["own", "new"] },
    verification: {
      type: "text",
      choices: ["stripe", "github", "slack", "standard_webhooks", "hmac", "bearer"],
      isRequired: true,
    },
    signature_header: { type: "text", min: 1, max: 100, findFault: (name) => findHeaderFault(String(name)) },
    signature_algorithm: { type: "text", choices: ["sha256", "sha512", "sha1"] },
    signature_encoding: { type: "text", choices: ["hex", "base64"] },
    signature_prefix: { type: "text", max: 50 },
    event_id_path: {
      type: "text",
      min: 1,
      max: 200,
      isNullable: true,
      findFault: (path) => findPathFault(String(path)),
    },
    // The database knows the language of filters.
    filter: { type: "object", max: 4096, isNullable: true },
    replay_window_seconds: { type: "integer", min: 10, max: 3600 },
    enabled: { type: "boolean" },
    calls_per_minute: { type: "integer", min: 1, max: 6000 },
    max_payload_bytes: { type: "integer", min: 1, max: 1_048_576 },
    retention_days: { type: "integer", min: 1, max: 365 },
    max_tokens: { type: "bigint", min: 1, isNullable: true },
    max_cost_usd: { type: "number", min: 0.000_001, max: 999_999_999, isNullable: true },
    allowed_tools: { type: "list", max: 50, findFault: (names) => findNamesFault(names) },
    pause_after_failures: { type: "integer", max: 100 },
  },
  managed: [
    "has_secret",
    "failures",
    "skipped",
    "paused_reason",
    "limited_at",
    "unverified_at",
    "api_key_id",
    "api_key_scopes",
  ],
  findRowFaults: ({ agent_id, swarm_id }) =>
    (agent_id === null) === (swarm_id === null) ? { agent_id: "or swarm_id must be given, and not both" } : {},
};

/** Only the service writes it. */
export const TRIGGER_CALLS: ExtensionTable = {
  name: "trigger_calls",
  ownerColumn: "user_id",
  columns: {},
  managed: [],
};

function findNamesFault(names: unknown): string | null {
  const isFit = Array.isArray(names) && names.every((name) => TOOL_NAME.test(String(name)));
  return isFit ? null : "must be names of tools";
}

function findHeaderFault(name: string): string | null {
  return /^[A-Za-z0-9-]+$/.test(name) ? null : "must be the name of a header: letters, digits and -";
}
