import { rows, type TableOperations } from "./rows.ts";

export const RUN_OPERATIONS: Readonly<Record<string, TableOperations>> = {
  "public.runs": rows("public.runs", {
    where: "id = :run",
    insert: "(swarm_id, user_id, strategy) values (:swarm, :caller, 'parallel')",
    update: "turn_count = 1",
    more: {
      "select sub-task": "select 1 from public.runs where id = :taskRun",
      "select own sub-task": "select 1 from public.runs where id = :ownTaskRun",
    },
  }),
  "public.run_turns": rows("public.run_turns", {
    where: "id = :turn",
    insert:
      "(run_id, swarm_id, agent_id, agent_name, position, framework, model) values (:run, :swarm, :ownerAgent, 'Ada', 2, 'provider_a', 'm')",
    update: "attempts = 1",
  }),
  "public.tool_executions": rows("public.tool_executions", {
    where: "id = :execution",
    insert:
      "(run_id, turn_id, swarm_id, agent_id, tool_name, tool_call_id, status) values (:run, :turn, :swarm, :ownerAgent, 'kept', 'c9', 'running')",
    update: "attempts = 1",
    more: {
      "approve own agent's": "update public.tool_executions set status = 'running' where id = :memberExecution",
    },
  }),
  "public.tool_execution_payloads": rows("public.tool_execution_payloads", {
    where: "tool_execution_id = :execution",
    insert: "(tool_execution_id, swarm_id, agent_id) values (:bareExecution, :swarm, :ownerAgent)",
    update: "output = '1'",
    more: {
      "select member's agent":
        "select 1 from public.tool_execution_payloads where tool_execution_id = :memberExecution",
      "select member's alone":
        "select 1 from public.tool_execution_payloads where tool_execution_id = :memberPrivateExecution",
      "select stranger's alone":
        "select 1 from public.tool_execution_payloads where tool_execution_id = :strangerPrivateExecution",
    },
  }),
  "public.model_calls": rows("public.model_calls", {
    where: "id = :modelCall",
    insert:
      "(run_id, turn_id, swarm_id, attempt, framework, model, status, duration_ms, started_at, finished_at) values (:run, :turn, :swarm, 1, 'provider_a', 'm', 'succeeded', 1, now(), now())",
    update: "attempt = 1",
  }),
  "public.model_call_prompts": rows("public.model_call_prompts", {
    where: "model_call_id = :modelCall",
    insert:
      "(model_call_id, swarm_id, agent_id, kept_messages, messages, tool_choice, settings, sha256) values (:bareModelCall, :swarm, :ownerAgent, 0, '[]', 'auto', '{}', '')",
    update: "system = 'x'",
    more: {
      "select member's agent": "select 1 from public.model_call_prompts where model_call_id = :memberModelCall",
    },
  }),
  "public.run_events": rows("public.run_events", {
    where: "run_id = :run and seq = 1",
    insert: "(run_id, seq, swarm_id, type, data) values (:run, 9, :swarm, 'delta', '{}')",
    update: "data = '{}'",
    more: {
      "select restricted": "select 1 from public.run_events where run_id = :run and seq = 2",
      "select restricted, member's agent": "select 1 from public.run_events where run_id = :run and seq = 3",
    },
  }),
  "public.usage_records": rows("public.usage_records", {
    where: "id = :usage",
    insert: "(payer_id, framework, model) values (:caller, 'provider_a', 'm')",
    update: "input_tokens = 0",
  }),
  "public.usage_daily": rows("public.usage_daily", {
    where: "payer_id = :owner",
    insert: "(payer_id, framework, model) values (:caller, 'provider_a', 'm')",
    update: "model = 'm'",
  }),
};
