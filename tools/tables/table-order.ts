/** Names of the tables and views in the order in which a reader meets them. */
export const TABLE_ORDER: readonly string[] = `
  agents agent_versions guardrails agent_cards agent_tools tools models agent_grants published_agents
  agent_offers agent_customers customer_turns swarms swarm_agents swarm_members swarm_invitations messages
  message_revisions conversation_summaries message_flags read_positions runs run_turns model_calls
  model_call_prompts run_events tool_executions tool_execution_payloads usage_records usage_daily eval_datasets
  eval_cases eval_runs eval_results schedules triggers trigger_calls webhooks event_feeds event_feed_backlog
  event_types webhook_deliveries webhook_delivery_attempts webhook_recoveries webhook_backlog
  webhook_previous_secrets profiles public_profiles api_keys user_settings
`
  .trim()
  .split(/\s+/);
