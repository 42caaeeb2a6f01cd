/**
 * Who sees and changes what is left by an agent that others ask.
 *
 * Callers
 *   owner      owns the agent, and is a member of none of the swarms
 *   asker      holds a grant, and owns the conversations `secret` and `told` and the swarm `group`
 *   other      holds a grant, and has a conversation with the agent
 *   former     held a grant that was withdrawn, and has a conversation with the agent
 *   guest      is a member of `group`, and holds no grant
 *   anonymous  is an anonymous user
 *   readKey    is an API key of the asker that reads and writes, and may not run agents
 *   runKey     is an API key of the asker that may run agents, and nothing else
 *
 * Cells: r reads, u updates, d deletes; - nothing.
 */
export const GRANT_CALLERS = ["owner", "asker", "other", "former", "guest", "anonymous", "readKey", "runKey"] as const;
export type GrantCaller = (typeof GRANT_CALLERS)[number];

/** The rows of a subject, as a condition on a table. */
export const SUBJECTS: Readonly<Record<string, (table: string) => string>> = {
  secret: (table) => ofSwarm(table, ":secretSwarm"),
  told: (table) => ofSwarm(table, ":toldSwarm"),
  group: (table) => ofSwarm(table, ":groupSwarm"),
  former: (table) => ofSwarm(table, ":formerSwarm"),
  "secret, waits": (table) => `${table === "tool_executions" ? "id" : "tool_execution_id"} = :secretWaits`,
  "secret, done": (table) => `${table === "tool_executions" ? "id" : "tool_execution_id"} = :secretDone`,
  "group, private": () => "tool_execution_id = :groupPrivate",
  "told, private": () => "tool_execution_id = :toldPrivate",
  "former, private": () => "tool_execution_id = :formerPrivate",
  "secret, restricted": () => "swarm_id = :secretSwarm and restricted",
  agent: (table) =>
    (table === "agents" || table === "agent_cards" || table === "published_agents" ? "id" : "agent_id") + " = :agent",
  tool: () => "id = :tool",
  "grant of asker": () => "user_id = :asker",
  offer: () => "id = :offer",
  owner: (table) => `${OWNER_COLUMNS[table] ?? "user_id"} = :owner`,
  asker: (table) => `${OWNER_COLUMNS[table] ?? "user_id"} = :asker`,
  all: () => "true",
};

const OWNER_COLUMNS: Readonly<Record<string, string>> = { profiles: "id", public_profiles: "id" };

function ofSwarm(table: string, swarm: string): string {
  return `${table === "swarms" ? "id" : "swarm_id"} = ${swarm}`;
}

export const GRANT_MATRIX = `
relation                  | subject            | owner asker other former guest anonymous readKey runKey

swarms                    | secret             | -     rud   -     -      -     -         rud     -
swarms                    | told               | -     rud   -     -      -     -         rud     -
swarms                    | group              | -     rud   -     -      r     -         rud     -
swarms                    | former             | -     -     -     rud    -     -         -       -

swarm_members             | secret             | -     r     -     -      -     -         r       -
swarm_members             | told               | -     r     -     -      -     -         r       -
swarm_members             | group              | -     rud   -     -      rud   -         rud     -
swarm_members             | former             | -     -     -     r      -     -         -       -

swarm_agents              | secret             | -     rud   -     -      -     -         rud     -
swarm_agents              | told               | -     rud   -     -      -     -         rud     -
swarm_agents              | group              | -     rud   -     -      r     -         rud     -
swarm_agents              | former             | -     -     -     rud    -     -         -       -

messages                  | secret             | -     ru    -     -      -     -         ru      -
messages                  | told               | r     ru    -     -      -     -         ru      -
messages                  | group              | -     ru    -     -      r     -         ru      -
messages                  | former             | -     -     -     ru     -     -         -       -

message_revisions         | secret             | -     r     -     -      -     -         r       -
message_revisions         | told               | -     r     -     -      -     -         r       -
message_revisions         | group              | -     r     -     -      r     -         r       -
message_revisions         | former             | -     -     -     r      -     -         -       -

message_flags             | secret             | -     rud   -     -      -     -         rud     -
message_flags             | told               | -     rud   -     -      -     -         rud     -
message_flags             | group              | -     rud   -     -      -     -         rud     -
message_flags             | former             | -     -     -     rud    -     -         -       -

read_positions            | secret             | -     rud   -     -      -     -         rud     -
read_positions            | told               | -     rud   -     -      -     -         rud     -
read_positions            | group              | -     rud   -     -      -     -         rud     -
read_positions            | former             | -     -     -     rud    -     -         -       -

guardrails                | secret             | -     rud   -     -      -     -         rud     -
guardrails                | told               | -     rud   -     -      -     -         rud     -
guardrails                | group              | -     rud   -     -      -     -         rud     -
guardrails                | former             | -     -     -     rud    -     -         -       -
guardrails                | agent              | rud   -     -     -      -     -         -       -

runs                      | secret             | -     r     -     -      -     -         r       -
runs                      | told               | r     r     -     -      -     -         r       -
runs                      | group              | -     r     -     -      r     -         r       -
runs                      | former             | -     -     -     r      -     -         -       -

run_turns                 | secret             | -     -     -     -      -     -         -       -
run_turns                 | told               | r     -     -     -      -     -         -       -
run_turns                 | group              | -     -     -     -      -     -         -       -
run_turns                 | former             | -     -     -     -      -     -         -       -

run_events                | secret             | -     r     -     -      -     -         r       -
run_events                | told               | -     r     -     -      -     -         r       -
run_events                | group              | -     r     -     -      r     -         r       -
run_events                | former             | -     -     -     r      -     -         -       -
run_events                | secret, restricted | -     r     -     -      -     -         r       -

model_calls               | secret             | -     -     -     -      -     -         -       -
model_calls               | told               | r     -     -     -      -     -         -       -
model_calls               | group              | -     -     -     -      -     -         -       -
model_calls               | former             | -     -     -     -      -     -         -       -

model_call_prompts        | secret             | -     -     -     -      -     -         -       -
model_call_prompts        | told               | r     -     -     -      -     -         -       -
model_call_prompts        | group              | -     -     -     -      -     -         -       -
model_call_prompts        | former             | -     -     -     -      -     -         -       -

usage_records             | secret             | r     -     -     -      -     -         -       -
usage_records             | told               | r     -     -     -      -     -         -       -
usage_records             | group              | r     -     -     -      -     -         -       -
usage_records             | former             | r     -     -     -      -     -         -       -

usage_daily               | secret             | r     -     -     -      -     -         -       -
usage_daily               | told               | r     -     -     -      -     -         -       -
usage_daily               | group              | r     -     -     -      -     -         -       -
usage_daily               | former             | r     -     -     -      -     -         -       -

tool_executions           | told               | r     r     -     -      -     -         r       -
tool_executions           | group              | r     r     -     -      r     -         r       -
tool_executions           | former             | r     -     -     r      -     -         -       -
tool_executions           | secret, waits      | r     r     -     -      -     -         r       -
tool_executions           | secret, done       | -     r     -     -      -     -         r       -

tool_execution_payloads   | told               | r     r     -     -      -     -         r       -
tool_execution_payloads   | group              | r     r     -     -      -     -         r       -
tool_execution_payloads   | former             | r     -     -     r      -     -         -       -
tool_execution_payloads   | secret, waits      | r     r     -     -      -     -         r       -
tool_execution_payloads   | secret, done       | -     r     -     -      -     -         r       -
tool_execution_payloads   | group, private     | -     r     -     -      -     -         r       -
tool_execution_payloads   | told, private      | -     r     -     -      -     -         r       -
tool_execution_payloads   | former, private    | -     -     -     r      -     -         -       -

agents                    | agent              | rud   -     -     -      -     -         -       -

agent_versions            | agent              | r     -     -     -      -     -         -       -

agent_tools               | agent              | rud   -     -     -      -     -         -       -

agent_cards               | agent              | r     r     r     r      r     -         r       r

published_agents          | agent              | -     r     r     -      -     -         r       r

tools                     | tool               | rud   -     -     -      -     -         -       -

agent_grants              | grant of asker     | rud   -     -     -      -     -         -       -
agent_grants              | offer              | rud   -     -     -      -     -         -       -

agent_offers              | offer              | -     -     -     -      r     -         -       -

agent_customers           | grant of asker     | r     -     -     -      -     -         -       -
customer_turns            | agent              | r     -     -     -      -     -         -       -

profiles                  | owner              | ru    -     -     -      -     -         -       -
profiles                  | asker              | -     ru    -     -      -     -         r       -

public_profiles           | owner              | r     -     -     -      -     -         -       -
public_profiles           | asker              | -     r     -     -      r     -         r       -

user_settings             | owner              | ru    -     -     -      -     -         -       -
user_settings             | asker              | -     ru    -     -      -     -         -       -

api_keys                  | asker              | -     r     -     -      -     -         -       -

webhooks                  | owner              | rud   -     -     -      -     -         -       -

webhook_deliveries        | owner              | r     -     -     -      -     -         -       -

webhook_delivery_attempts | owner              | r     -     -     -      -     -         -       -

webhook_recoveries        | owner              | r     -     -     -      -     -         -       -

eval_datasets             | owner              | rud   -     -     -      -     -         -       -

eval_cases                | owner              | rud   -     -     -      -     -         -       -

eval_runs                 | owner              | rud   -     -     -      -     -         -       -

eval_results              | owner              | rud   -     -     -      -     -         -       -

webhook_previous_secrets  | all                | r     -     -     -      -     -         -       -

webhook_backlog           | all                | r     -     -     -      -     -         -       -

swarm_invitations         | all                | -     -     -     -      -     -         -       -

models                    | all                | r     r     r     r      r     r         r       r
`;
