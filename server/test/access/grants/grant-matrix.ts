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
  listed: () => "listed",
  unlisted: () => "not listed",
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

conversation_summaries    | secret             | -     rd    -     -      -     -         rd      -
conversation_summaries    | told               | r     rd    -     -      -     -         rd      -
conversation_summaries    | group              | -     rd    -     -      r     -         rd      -
conversation_summaries    | former             | -     -     -     rd     -     -         -       -

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

schedules                 | asker              | -     rud   -     -      -     -         r       -
schedules                 | former             | -     -     -     rud    -     -         -       -

triggers                  | asker              | -     rud   -     -      -     -         r       -
triggers                  | former             | -     -     -     rud    -     -         -       -

trigger_calls             | asker              | -     r     -     -      -     -         r       -
trigger_calls             | former             | -     -     -     r      -     -         -       -

webhook_previous_secrets  | all                | r     -     -     -      -     -         -       -

webhook_backlog           | all                | r     -     -     -      -     -         -       -

swarm_invitations         | all                | -     -     -     -      -     -         -       -

models                    | all                | r     r     r     r      r     r         r       r

event_feed_backlog        | all                | r     -     -     -      -     -         -       -

event_feeds               | owner              | rud   -     -     -      -     -         -       -

event_types               | listed             | r     r     r     r      r     r         r       -
event_types               | unlisted           | -     -     -     -      -     -         -       -
`;

const CALCULATOR = "'019a8000-0000-7000-8000-000000000002'";

/** What a caller may try to add. */
export const ADDITIONS: Readonly<Record<string, string>> = {
  "message, secret": "insert into public.messages (swarm_id, content) values (:secretSwarm, 'x')",
  "message, told": "insert into public.messages (swarm_id, content) values (:toldSwarm, 'x')",
  "message, group": "insert into public.messages (swarm_id, content) values (:groupSwarm, 'x')",
  "message, former": "insert into public.messages (swarm_id, content) values (:formerSwarm, 'x')",
  "member, secret": "insert into public.swarm_members (swarm_id, user_id) values (:secretSwarm, :other)",
  "member, group": "insert into public.swarm_members (swarm_id, user_id) values (:groupSwarm, :other)",
  "agent, secret": "insert into public.swarm_agents (swarm_id, agent_id) values (:secretSwarm, :spare)",
  "agent, group": "insert into public.swarm_agents (swarm_id, agent_id) values (:groupSwarm, :spare)",
  "the agent, own swarm": `insert into public.swarm_agents (swarm_id, agent_id)
    select id, :agent from public.swarms where name = 'Own' and owner_id = auth.uid()`,
  "flag, secret": "insert into public.message_flags (message_id) values (:secretMessage)",
  "flag, told": "insert into public.message_flags (message_id) values (:toldMessage)",
  "flag, group": "insert into public.message_flags (message_id) values (:groupMessage)",
  "guardrail, secret":
    "insert into public.guardrails (swarm_id, name, kind, stage, config) values (:secretSwarm, 'x', 'pattern', 'input', '{\"pattern\": \"x\"}')",
  "guardrail, agent":
    "insert into public.guardrails (agent_id, name, kind, stage, config) values (:agent, 'x', 'pattern', 'input', '{\"pattern\": \"x\"}')",
  "tool, agent": `insert into public.agent_tools (agent_id, tool_id) values (:agent, ${CALCULATOR})`,
  "grant, agent": "insert into public.agent_grants (agent_id, audience, user_id) values (:agent, 'user', :other)",
  "eval run, agent": `with d as (insert into public.eval_datasets (name) values ('x') returning id)
    insert into public.eval_runs (dataset_id, agent_id, agent_version) select id, :agent, 1 from d`,
  "schedule, secret":
    "insert into public.schedules (name, swarm_id, message, cron) values ('x', :secretSwarm, 'x', '0 9 * * *')",
  "schedule, group":
    "insert into public.schedules (name, swarm_id, message, cron) values ('x', :groupSwarm, 'x', '0 9 * * *')",
  "schedule, agent":
    "insert into public.schedules (name, agent_id, message, cron) values ('x', :agent, 'x', '0 9 * * *')",
  "trigger, secret":
    "insert into public.triggers (name, swarm_id, message, verification) values ('x', :secretSwarm, 'x', 'bearer')",
  "trigger, agent":
    "insert into public.triggers (name, agent_id, message, verification) values ('x', :agent, 'x', 'bearer')",
  "version, agent": "select public.restore_agent_version(:agent, 1)",
  "event, secret": "select public.emit_event('app.told', '{}', null, :secretSwarm)",
  "event, told": "select public.emit_event('app.told', '{}', null, :toldSwarm)",
  "event, group": "select public.emit_event('app.told', '{}', null, :groupSwarm)",
  // A caller can pass any row to a computed field.
  "agent of secret": askField("private_agent_id", "swarms", ":secretSwarm"),
  "readers of secret": askField("transcripts", "swarms", ":secretSwarm"),
  "decides, secret": askField("may_decide", "tool_executions", ":secretWaits"),
};

function askField(field: string, table: string, id: string): string {
  return `select 1 from (select public.${field}(jsonb_populate_record(null::public.${table},
      jsonb_build_object('id', ${id}))) as value) as asked
    where value is not null and value::text <> 'false'`;
}

/** As in the matrix of callers; the name of a scope is the one that a key lacks. `asker` has flagged one message of each conversation. */
export const ADDITION_MATRIX = `
addition             | owner asker other former guest anonymous readKey runKey
message, secret      | no    yes   no    no     no    no        yes     write
message, told        | no    yes   no    no     no    no        yes     write
message, group       | no    yes   no    no     yes   no        yes     write
message, former      | no    no    no    yes    no    no        no      no
member, secret       | no    no    no    no     no    no        no      no
member, group        | no    yes   no    no     no    no        yes     share
agent, secret        | no    no    no    no     no    no        no      no
agent, group         | no    yes   no    no     no    no        yes     write
the agent, own swarm | yes   yes   yes   no     no    no        yes     -
flag, secret         | none  never none  none   none  none      never   none
flag, told           | no    never none  none   none  none      never   none
flag, group          | none  never none  none   yes   none      never   none
guardrail, secret    | no    yes   no    no     no    no        yes     write
guardrail, agent     | yes   no    no    no     no    no        no      no
tool, agent          | yes   no    no    no     no    no        no      no
grant, agent         | yes   no    no    no     no    no        no      no
eval run, agent      | yes   none  none  none   none  none      none    write
schedule, secret     | no    yes   no    no     no    no        run     write
schedule, group      | no    yes   no    no     yes   no        run     write
schedule, agent      | yes   yes   yes   no     no    no        run     write
trigger, secret      | no    yes   no    no     no    no        run     write
trigger, agent       | yes   yes   yes   no     no    no        run     write
version, agent       | yes   none  none  none   none  none      none    none
event, secret        | no    yes   no    no     no    no        yes     write
event, told          | no    yes   no    no     no    no        yes     write
event, group         | no    yes   no    no     yes   no        yes     write
agent of secret      | -     yes   -     -      -     -         yes     -
readers of secret    | -     yes   -     -      -     -         yes     -
decides, secret      | yes   -     -     -      -     -         -       -
`;
