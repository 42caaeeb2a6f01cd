/** Where the service's own tables are. */
export const CORE_SCHEMA = "public";

/**
 * The columns of the service's own tables and views that operators may read, `!` before those that have or can have
 * credentials, and `~` before those with texts of conversations, which only OPERATOR_READS_CONTENT shows. The name of a private
 * conversation is its first message, that of a schedule of an agent the beginning of its message. A column that is in no form is
 * withheld until somebody decides; a test finds it.
 */
export const CORE_COLUMNS: Readonly<Record<string, string>> = {
  agent_cards: "id name role avatar status",
  agent_customers: "agent_id user_id full_name runs cost_usd errors last_run_at",
  agent_grants:
    "id agent_id audience claim user_id include_anonymous priority agent_version approver payer runs_per_day " +
    "cost_per_day total_runs_per_day total_cost_per_day transcripts accepts_messages accepts_client_tools shows_owner " +
    "expires_at accepted_at accepted_approver declined_at created_at updated_at",
  agent_offers:
    "id agent_id name role avatar description payer approver transcripts runs_per_day cost_per_day owner_name " +
    "created_at expires_at",
  agent_tools: "id agent_id tool_id user_id enabled !configuration approver is_vouched created_at",
  agent_versions: "agent_id number role framework model system_prompt settings tools guardrails changed_by created_at",
  agents:
    "id user_id name role avatar description starter_questions framework model system_prompt settings status " +
    "status_changed_at created_at updated_at acts_for_askers",
  api_keys: "id user_id name scopes resources prefix expires_at last_used_at created_at client_id",
  conversation_summaries: "swarm_id agent_id up_to_seq ~text created_at",
  customer_turns: "id agent_id user_id run_id status duration_ms cost_usd error_code tool_names created_at",
  eval_cases: "id user_id dataset_id name ~input ~expectation position created_at updated_at",
  eval_datasets: "id user_id name description created_at updated_at",
  eval_results:
    "id user_id eval_run_id case_id case_name ~input ~expectation passed is_regression score ~reason ~output run_id " +
    "latency_ms input_tokens output_tokens cost_usd created_at",
  eval_runs:
    "id user_id dataset_id agent_id agent_version baseline_run_id status case_count passed_count regression_count " +
    "created_at finished_at",
  event_feed_backlog: "feed_id events skipped consumers",
  event_feeds: "id user_id name events filter receives_app_events api_version created_at updated_at",
  event_types: "id name description schema example users_may_emit listed created_at updated_at",
  guardrails: "id agent_id swarm_id name kind stage action config position is_active !secret created_at updated_at",
  message_flags:
    "id message_id swarm_id source flagged_by category ~reason status resolved_by resolved_at created_at guardrail_id",
  message_revisions: "message_id revision swarm_id ~content edited_by created_at",
  messages:
    "id swarm_id seq sender_type sender_id sender_user_id sender_agent_id sender_name sender_deleted ~content " +
    "content_type reply_to_id run_id turn_id finish_reason mentions ~metadata client_message_id edited_at deleted_at " +
    "deleted_by flagged created_at ~data",
  model_call_prompts:
    "model_call_id swarm_id agent_id kept_messages ~system ~messages ~tools tool_choice settings max_output_tokens sha256",
  model_calls:
    "id run_id turn_id swarm_id agent_id attempt framework model status finish_reason ~error first_token_ms " +
    "duration_ms input_tokens cached_input_tokens output_tokens reasoning_tokens estimated cost_usd started_at " +
    "finished_at created_at grant_id",
  models:
    "framework id is_default position context_window max_output_tokens price_input price_cached_input price_output " +
    "supports is_simulated is_list_open is_default_framework",
  profiles: "id email full_name avatar_url created_at updated_at",
  public_profiles: "id full_name avatar_url",
  published_agents:
    "id name role avatar description starter_questions payer approver transcripts receivers provider owner_name " +
    "acts_for_asker",
  read_positions: "id swarm_id user_id last_read_seq created_at updated_at",
  run_events: "run_id seq swarm_id agent_id restricted type ~data created_at",
  run_turns:
    "id run_id swarm_id agent_id agent_name position status framework model message_id finish_reason ~error ~warnings " +
    "attempts first_token_ms duration_ms input_tokens cached_input_tokens output_tokens reasoning_tokens estimated " +
    "cost_usd started_at finished_at created_at agent_version ~asked ~handoff grant_id hides_usage",
  runs:
    "id swarm_id user_id client_id message_id status stop_reason strategy ~request cause ~error usage turn_count queued_at " +
    "started_at finished_at created_at ~pending_waits can_continue",
  schedules:
    "id user_id ~name agent_id swarm_id ~message conversation cron time_zone run_at enabled max_tokens max_cost_usd " +
    "when_running when_missed jitter_seconds pause_after_failures next_run_at due_at waiting retry_at open_run_id " +
    "~last_outcomes failures paused_reason api_key_id api_key_scopes created_by_agent_id created_at updated_at",
  swarm_agents: "id swarm_id agent_id position enabled role_override added_by created_at",
  swarm_invitations: "id swarm_id swarm_name role inviter_name created_at expires_at",
  swarm_members: "id swarm_id user_id invited_email role status invited_by joined_at created_at expires_at",
  swarms:
    "id owner_id ~name ~description avatar status strategy coordinator_agent_id settings created_at updated_at " +
    "parent_run_id",
  tool_execution_payloads: "tool_execution_id swarm_id agent_id ~input ~output ~question ~answer private_to",
  tool_executions:
    "id run_id turn_id swarm_id agent_id tool_id tool_name tool_call_id output_chars truncated status ~error attempts " +
    "duration_ms decided_by approver_id expires_at started_at finished_at created_at sub_run_id",
  tools:
    "id owner_id name description category icon input_schema kind config visibility requires_approval timeout_ms " +
    "max_output_chars enabled created_at updated_at secret_names max_retries idempotent is_vouched",
  trigger_calls:
    "id trigger_id user_id event_id event_type ~payload status ~error run_id swarm_id depth replays retry_at created_at " +
    "finished_at",
  triggers:
    "id user_id name agent_id swarm_id ~message conversation verification signature_header signature_algorithm " +
    "signature_encoding signature_prefix event_id_path filter replay_window_seconds enabled calls_per_minute max_payload_bytes " +
    "retention_days max_tokens max_cost_usd allowed_tools pause_after_failures has_secret failures skipped paused_reason " +
    "limited_at unverified_at api_key_id api_key_scopes created_at updated_at",
  usage_daily:
    "day payer_id swarm_id agent_id framework model turns input_tokens cached_input_tokens output_tokens " +
    "reasoning_tokens cost_usd",
  usage_records:
    "id payer_id user_id swarm_id run_id turn_id agent_id framework model input_tokens cached_input_tokens " +
    "output_tokens reasoning_tokens cost_usd estimated created_at grant_id",
  user_settings:
    "user_id theme locale timezone default_framework notifications preferences daily_token_budget " +
    "daily_cost_budget_usd imposed_daily_token_budget imposed_daily_cost_budget_usd imposed_daily_runs " +
    "require_request_signature created_at updated_at require_message_signature",
  webhook_backlog: "webhook_id pending retrying skipped",
  webhook_deliveries:
    "id webhook_id user_id event_id event_type ~payload status status_code ~response_body attempts next_retry_at " +
    "delivered_at created_at scheduled_for",
  webhook_delivery_attempts:
    "id delivery_id webhook_id user_id attempt cause url status_code error_code error ~response_body " +
    "response_truncated response_time_ms created_at outcome",
  webhook_previous_secrets: "id webhook_id created_at expires_at",
  webhook_recoveries:
    "id webhook_id user_id since until status found recovered last_delivery_id created_at updated_at completed_at",
  webhooks:
    "id user_id name url !secret events is_active !headers retry_count timeout_ms api_version disabled_reason " +
    "disabled_at created_at updated_at run_id bodies receives_app_events filter",
};

/**
 * Columns that can have credentials in a part: URLs are masked in all of them, and these members are left out of JSON. They can be
 * neither edited nor compared.
 */
const MASKED_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  "agent_cards.avatar": [],
  "agent_versions.guardrails": ["headers"],
  "agent_versions.tools": ["configuration", "headers"],
  "agent_offers.avatar": [],
  "agents.avatar": [],
  "guardrails.config": ["headers"],
  "profiles.avatar_url": [],
  "public_profiles.avatar_url": [],
  "published_agents.avatar": [],
  "swarms.avatar": [],
  "tools.config": ["headers"],
  "tools.icon": [],
  "webhook_delivery_attempts.url": [],
  "webhooks.url": [],
};

/** The members that a column is shown without; null for a column that is shown as it is. */
export function findMask(table: { readonly schema: string; readonly name: string }, column: string) {
  return table.schema === CORE_SCHEMA ? (MASKED_COLUMNS[`${table.name}.${column}`] ?? null) : null;
}
