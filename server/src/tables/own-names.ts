import type { QualifiedName, TouchedName } from "../rest/index.ts";

const OWN_SCHEMA = "public";

const WRITTEN_RELATIONS = [
  "agents",
  "tools",
  "agent_tools",
  "agent_grants",
  "webhooks",
  "event_feeds",
  "event_types",
  "swarms",
  "swarm_members",
  "swarm_agents",
  "messages",
  "message_flags",
  "read_positions",
  "guardrails",
  "profiles",
  "user_settings",
  "eval_datasets",
  "eval_cases",
  "eval_runs",
  "eval_results",
] as const;

/** Written by the service role and the service itself alone. */
const READ_RELATIONS = [
  "models",
  "webhook_deliveries",
  "webhook_delivery_attempts",
  "webhook_recoveries",
  "message_revisions",
  "conversation_summaries",
  "runs",
  "run_turns",
  "run_events",
  "model_calls",
  "model_call_prompts",
  "tool_executions",
  "tool_execution_payloads",
  "usage_records",
  "usage_daily",
  "public_profiles",
  "agent_cards",
  "event_feed_backlog",
  "webhook_backlog",
  "webhook_previous_secrets",
  "swarm_invitations",
  "api_keys",
  "agent_versions",
  "published_agents",
  "agent_offers",
  "agent_customers",
  "customer_turns",
] as const;

export type WrittenRelation = (typeof WRITTEN_RELATIONS)[number];

export const OWN_RELATIONS: ReadonlySet<string> = new Set([...WRITTEN_RELATIONS, ...READ_RELATIONS]);
export const OWN_FUNCTIONS: ReadonlySet<string> = new Set([
  "tool",
  "agent_cards",
  "public_profiles",
  "private_agent_id",
  "agent_owner_id",
  "duration_ms",
  "may_decide",
  "started_by",
  "transcripts",
  "turns",
  "webhook_attempt_counts",
  "webhook_health",
  "header_names",
  "restore_agent_version",
  "emit_event",
]);

export function isOwnRelation({ schema, name }: QualifiedName): boolean {
  return schema === OWN_SCHEMA && OWN_RELATIONS.has(name);
}

/** Relations and functions of the service, as opposed to those that users have added. */
export function isOwnName({ kind, schema, name }: TouchedName): boolean {
  if (schema !== OWN_SCHEMA) return false;
  switch (kind) {
    case "relation":
      return OWN_RELATIONS.has(name);
    case "function":
      return OWN_FUNCTIONS.has(name);
    case "type":
      return false;
  }
}

/** The same with the tables that extensions add to `public`. */
export function createIsOwnName(added: readonly { readonly name: string }[]): (name: TouchedName) => boolean {
  const names = new Set(added.map(({ name }) => name));
  return (touched) =>
    isOwnName(touched) || (touched.kind === "relation" && touched.schema === OWN_SCHEMA && names.has(touched.name));
}

const PORTAL_NAMES: Readonly<Record<TouchedName["kind"], readonly string[]>> = {
  relation: ["webhooks", "webhook_deliveries", "webhook_delivery_attempts", "event_types"],
  function: ["header_names", "webhook_attempt_counts", "webhook_health"],
  type: ["text"],
};

/** What the portal reaches over REST. Its functions say so themselves. */
export function isPortalName({ kind, schema, name }: TouchedName): boolean {
  return schema === (kind === "type" ? "" : OWN_SCHEMA) && PORTAL_NAMES[kind].includes(name);
}

/** Schemas of the service, of its extensions and of PostgreSQL. */
const SERVICE_SCHEMA = /^(?:auth|partitions|private|realtime|app_migrations|information_schema|(?:ext|pg)_.*)$/s;

/** Whether a function is not the app's. */
export function isServiceFunction(name: QualifiedName): boolean {
  return SERVICE_SCHEMA.test(name.schema) || isOwnName({ kind: "function", ...name });
}
