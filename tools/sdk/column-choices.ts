/** Columns whose type the database does not know as narrowly as the interface does. */
export const COLUMN_TYPES: Readonly<Record<string, string>> = {
  "agent_cards.status": "AgentStatus",
  "agent_grants.claim": "JsonObject",
  "agent_offers.approver": "GrantParty",
  "agent_offers.payer": "GrantParty",
  "agent_offers.transcripts": "GrantTranscripts",
  "agent_tools.configuration": "JsonObject",
  "agent_versions.framework": "Framework",
  "agent_versions.settings": "AgentSettings",
  "agent_versions.tools": "AgentVersionTool[]",
  "agent_versions.guardrails": "AgentVersionGuardrail[]",
  "agents.settings": "AgentSettings",
  "guardrails.config": "GuardrailConfig",
  "eval_cases.expectation": "EvalExpectation",
  "eval_results.expectation": "EvalExpectation",
  "messages.metadata": "JsonObject",
  "model_call_prompts.messages": "PromptMessage[]",
  "model_call_prompts.settings": "AgentSettings",
  "model_call_prompts.tools": "PromptTool[]",
  "model_calls.error": "EventFault",
  "model_calls.framework": "Framework",
  "models.supports": "JsonObject",
  "run_events.data": "JsonObject",
  "run_turns.asked": "JsonObject",
  "run_turns.error": "EventFault",
  "run_turns.framework": "Framework",
  "run_turns.handoff": "JsonObject",
  "run_turns.warnings": "JsonObject[]",
  "published_agents.approver": "GrantParty",
  "published_agents.payer": "GrantParty",
  "published_agents.transcripts": "GrantTranscripts",
  "runs.cause": "JsonObject",
  "runs.error": "EventFault",
  "runs.pending_waits": "PendingWait[]",
  "runs.request": "JsonObject",
  "runs.usage": "EventUsage",
  "schedules.last_outcomes": "ScheduleOutcome[]",
  "swarm_invitations.role": "SwarmRole",
  "swarms.settings": "SwarmSettings",
  "tool_executions.error": "EventFault",
  "tools.config": "JsonObject",
  "tools.input_schema": "JsonObject",
  "tools.kind": "ToolKind",
  "usage_daily.framework": "Framework",
  "usage_records.framework": "Framework",
  "user_settings.notifications": "JsonObject",
  "user_settings.preferences": "JsonObject",
  "event_types.example": "JsonObject",
  "event_types.name": "AppEventType",
  "event_types.schema": "JsonObject",
  "webhook_deliveries.event_type": "EventType | AppEventType",
  "webhook_deliveries.payload": "SwarmbaseEvent",
  "webhooks.events": "(EventType | AppEventType)[]",
  "webhooks.filter": "JsonObject",
  "webhooks.headers": "Record<string, string>",
};

/** PostgreSQL says of no column of a view that it is never null; of these it is so. */
export const VIEW_COLUMNS_NOT_NULL: Readonly<Record<string, readonly string[]>> = {
  agent_cards: ["id", "name", "status"],
  agent_customers: ["agent_id", "user_id", "runs", "cost_usd", "errors", "last_run_at"],
  customer_turns: ["id", "agent_id", "run_id", "status", "tool_names", "created_at"],
  agent_offers: ["id", "agent_id", "name", "payer", "approver", "transcripts", "created_at"],
  published_agents: [
    "id",
    "name",
    "starter_questions",
    "payer",
    "approver",
    "transcripts",
    "receivers",
    "acts_for_asker",
  ],
  public_profiles: ["id"],
  webhook_backlog: ["webhook_id", "pending", "retrying"],
  webhook_previous_secrets: ["id", "webhook_id", "created_at", "expires_at"],
  swarm_invitations: ["id", "swarm_id", "swarm_name", "role", "created_at"],
  usage_daily: [
    "day",
    "payer_id",
    "framework",
    "model",
    "turns",
    "input_tokens",
    "cached_input_tokens",
    "output_tokens",
    "reasoning_tokens",
  ],
};

/** PostgreSQL says of no column that a function returns whether it may be null; these may, all others may not. */
export const RETURNED_COLUMNS_NULLABLE: Readonly<Record<string, readonly string[]>> = {
  webhook_attempt_counts: ["p50_ms", "p95_ms", "slowest_ms"],
  webhook_health: ["success_rate", "p50_ms", "p95_ms"],
};

/** Columns that the service sets itself or rejects, beside those that the rules of the tables ignore. */
export const SERVICE_OWNED: Readonly<Record<string, readonly string[]>> = {
  agent_grants: ["accepted_at", "accepted_approver", "declined_at"],
  agent_tools: ["user_id"],
  message_flags: ["swarm_id", "source", "guardrail_id", "flagged_by", "resolved_by", "resolved_at"],
  messages: [
    "seq",
    "sender_id",
    "sender_name",
    "sender_deleted",
    "run_id",
    "turn_id",
    "finish_reason",
    "data",
    "edited_at",
    "deleted_at",
    "deleted_by",
    "flagged",
  ],
  swarm_agents: ["added_by"],
  swarm_members: ["invited_by", "joined_at"],
  webhooks: ["secret", "api_version", "disabled_reason", "disabled_at", "receives_app_events"],
};

/** Of a new row alone: they begin as the service says and can be changed later. */
export const SERVICE_OWNED_ON_INSERT: Readonly<Record<string, readonly string[]>> = {
  agents: ["status"],
  message_flags: ["status"],
};

/** What the other names of columns take. */
export const ALIAS_TYPES: Readonly<Record<string, string>> = {
  "swarm_members.email": "string | null",
  "tools.secrets": "Record<string, string>",
};
