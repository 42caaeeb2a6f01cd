const OWN_SWARMS = "(select id from swarms where owner_id = $1)";
const OWN_AGENTS = "(select id from agents where user_id = $1)";
const RUNS = `(select id from runs where user_id = $1 or swarm_id in ${OWN_SWARMS})`;
const MESSAGES = `(select id from messages where sender_user_id = $1 or swarm_id in ${OWN_SWARMS})`;

/** Which rows belong to a user, said in SQL, independently of the filters of the package. */
export const EXPECTED_ROWS: Readonly<Record<string, string>> = {
  profiles: "id = $1",
  user_settings: "user_id = $1",
  api_keys: "user_id = $1",
  agents: "user_id = $1",
  agent_versions: `agent_id in ${OWN_AGENTS}`,
  agent_grants: `agent_id in ${OWN_AGENTS}`,
  tools: "owner_id = $1",
  agent_tools: "user_id = $1",
  swarms: "owner_id = $1",
  swarm_members: `user_id = $1 or swarm_id in ${OWN_SWARMS}`,
  swarm_agents: `agent_id in ${OWN_AGENTS} or swarm_id in ${OWN_SWARMS}`,
  guardrails: `agent_id in ${OWN_AGENTS} or swarm_id in ${OWN_SWARMS}`,
  messages: `id in ${MESSAGES}`,
  message_revisions: `message_id in ${MESSAGES}`,
  conversation_summaries: `swarm_id in ${OWN_SWARMS}`,
  message_flags: `flagged_by = $1 or swarm_id in ${OWN_SWARMS}`,
  read_positions: "user_id = $1",
  runs: `id in ${RUNS}`,
  run_turns: `run_id in ${RUNS}`,
  // A guest sees no details of the tool calls of agents of others.
  run_events: `run_id in ${RUNS} and (not restricted or swarm_id in ${OWN_SWARMS} or agent_id in ${OWN_AGENTS})`,
  model_calls: `run_id in ${RUNS}`,
  model_call_prompts: `model_call_id in (select id from model_calls where run_id in ${RUNS}) and agent_id in ${OWN_AGENTS}`,
  tool_executions: `run_id in ${RUNS}`,
  tool_execution_payloads: `tool_execution_id in (select id from tool_executions where run_id in ${RUNS})
    and (swarm_id in ${OWN_SWARMS} or agent_id in ${OWN_AGENTS})`,
  usage_records: "payer_id = $1 or user_id = $1",
  webhooks: "user_id = $1",
  webhook_deliveries: "user_id = $1",
  webhook_delivery_attempts: "user_id = $1",
  webhook_recoveries: "user_id = $1",
  event_feeds: "user_id = $1",
  eval_datasets: "user_id = $1",
  eval_cases: "user_id = $1",
  eval_runs: "user_id = $1",
  eval_results: "user_id = $1",
};
