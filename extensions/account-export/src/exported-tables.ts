import type { ExtensionTable } from "swarmbase/extension";

/** Finds rows of a table that belong to the user. */
export interface RowFilter {
  /** A column that has the id of the user. */
  readonly user?: string;
  /** A table of this list, and the columns by which its exported rows own rows of this table. */
  readonly parent?: { readonly table: string; readonly columns: Readonly<Record<string, string>> };
  /** A column that does not have the id of the user, because another filter of the table finds these rows. */
  readonly notUser?: string;
}

export interface ExportedTable {
  /** The primary key, by which pages are read. Its values are UUIDs and numbers. */
  readonly key: readonly string[];
  /** No row matches two filters. */
  readonly filters: readonly RowFilter[];
  /** Columns, and members of JSON columns or of the elements of JSON arrays, that have or can have credentials, which must not be in a file. */
  readonly omit?: readonly string[];
}

const OF_AGENTS: RowFilter = { parent: { table: "agents", columns: { agent_id: "id" } } };
const OF_SWARMS: RowFilter = { parent: { table: "swarms", columns: { swarm_id: "id" } } };
// The indexes of these tables begin with the swarm.
const OF_RUNS: RowFilter = { parent: { table: "runs", columns: { swarm_id: "swarm_id", run_id: "id" } } };

/** A table whose rows have the id of their owner. */
function ownedBy(column: string): ExportedTable {
  return { key: ["id"], filters: [{ user: column }] };
}

/** A table of swarms: the rows of the user in all swarms, and all rows of swarms that the user owns. */
function sharedBy(column: string): ExportedTable {
  return { key: ["id"], filters: [{ user: column }, { ...OF_SWARMS, notUser: column }] };
}

/**
 * Which rows of the service belong to a user, in the order of the document. Row-level rules apply in addition: rows that the user
 * cannot read are not exported.
 */
export const EXPORTED_TABLES: Readonly<Record<string, ExportedTable>> = {
  profiles: ownedBy("id"),
  user_settings: { key: ["user_id"], filters: [{ user: "user_id" }] },
  api_keys: ownedBy("user_id"),
  agents: ownedBy("user_id"),
  agent_versions: {
    key: ["agent_id", "number"],
    filters: [OF_AGENTS],
    omit: ["tools.definition.config.headers", "guardrails.config.headers"],
  },
  agent_grants: { key: ["id"], filters: [OF_AGENTS] },
  tools: { ...ownedBy("owner_id"), omit: ["config.headers"] },
  agent_tools: ownedBy("user_id"),
  swarms: ownedBy("owner_id"),
  swarm_members: sharedBy("user_id"),
  swarm_agents: sharedBy("agent_owner_id"),
  guardrails: { key: ["id"], filters: [OF_AGENTS, OF_SWARMS], omit: ["secret", "config.headers"] },
  messages: sharedBy("sender_user_id"),
  message_revisions: {
    key: ["message_id", "revision"],
    filters: [{ parent: { table: "messages", columns: { message_id: "id" } } }],
  },
  conversation_summaries: { key: ["swarm_id", "agent_id", "up_to_seq"], filters: [OF_SWARMS] },
  message_flags: sharedBy("flagged_by"),
  read_positions: ownedBy("user_id"),
  runs: sharedBy("user_id"),
  run_turns: { key: ["id"], filters: [OF_RUNS] },
  run_events: { key: ["run_id", "seq"], filters: [OF_RUNS] },
  model_calls: { key: ["id"], filters: [OF_RUNS] },
  model_call_prompts: {
    key: ["model_call_id"],
    filters: [{ parent: { table: "model_calls", columns: { model_call_id: "id" } } }],
  },
  tool_executions: { key: ["id"], filters: [OF_RUNS] },
  tool_execution_payloads: {
    key: ["tool_execution_id"],
    filters: [{ parent: { table: "tool_executions", columns: { tool_execution_id: "id" } } }],
  },
  usage_records: { key: ["id"], filters: [{ user: "payer_id" }, { user: "user_id", notUser: "payer_id" }] },
  webhooks: { ...ownedBy("user_id"), omit: ["secret", "headers"] },
  webhook_deliveries: ownedBy("user_id"),
  webhook_delivery_attempts: ownedBy("user_id"),
  webhook_recoveries: ownedBy("user_id"),
  event_feeds: ownedBy("user_id"),
  eval_datasets: ownedBy("user_id"),
  eval_cases: ownedBy("user_id"),
  eval_runs: ownedBy("user_id"),
  eval_results: ownedBy("user_id"),
};

/** The same with the tables that extensions add. */
export function listExportedTables(added: readonly ExtensionTable[]): Readonly<Record<string, ExportedTable>> {
  const tables = added.map(({ name, ownerColumn, notExported: omit = [] }): [string, ExportedTable] => [
    name,
    { ...ownedBy(ownerColumn), omit },
  ]);
  return { ...EXPORTED_TABLES, ...Object.fromEntries(tables) };
}

/** Tables and views of the service that are not exported, and why. */
export const NOT_EXPORTED: Readonly<Record<string, string>> = {
  models: "the catalogue of the service, the same for everybody",
  event_types: "the event types of the app, the same for everybody",
  agent_cards: "a view of agents, which are exported; the other rows belong to other users",
  public_profiles: "a view of profiles; the other rows belong to other users",
  published_agents: "belong to the owners of the agents",
  agent_offers: "belong to the owners of the agents",
  agent_customers: "are sums of usage_records and run_turns",
  customer_turns: "belong to those who ask",
  swarm_invitations: "belong to the swarm that invites; after acceptance, swarm_members has the membership",
  usage_daily: "sums of usage_records, which are exported",
  event_feed_backlog: "counts of events, and places of programs in them, which mean nothing elsewhere",
  webhook_backlog: "counts of webhook_deliveries, which are exported",
  webhook_previous_secrets: "times of secrets; the secrets themselves are never exported",
};
