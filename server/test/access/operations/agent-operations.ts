import { rows, type TableOperations } from "./rows.ts";

const GUARDRAIL = "name, kind, stage, config";
const GUARDRAIL_VALUES = `'No cards', 'pattern', 'input', '{"pattern": "card"}'`;

export const AGENT_OPERATIONS: Readonly<Record<string, TableOperations>> = {
  "public.agents": rows("public.agents", {
    where: "id = :ownerAgent",
    insert: "(user_id, name) values (:caller, 'New')",
    update: "system_prompt = 'changed'",
    more: {
      "insert for owner": "insert into public.agents (user_id, name) values (:owner, 'New')",
      "update owner": "update public.agents set user_id = :newcomer where id = :ownerAgent",
      "update id": "update public.agents set id = gen_random_uuid() where id = :ownerAgent",
      vouch: "update public.agents set acts_for_askers = true where id = :ownerAgent",
      "insert vouched": "insert into public.agents (user_id, name, acts_for_askers) values (:caller, 'New', true)",
    },
  }),
  "public.agent_versions": rows("public.agent_versions", {
    where: "agent_id = :ownerAgent and number = 1",
    insert: "(agent_id, number, framework, settings, tools) values (:callerSpare, 9, 'provider_a', '{}', '[]')",
    update: "system_prompt = 'changed'",
    more: { "restore by function": "select public.restore_agent_version(:ownerAgent, 1)" },
  }),
  "public.agent_grants": rows("public.agent_grants", {
    where: "id = :heldGrant",
    insert: "(agent_id, audience, user_id) values (:callerSpare, 'user', :newcomer)",
    update: "runs_per_day = 5",
    more: {
      "insert foreign agent":
        "insert into public.agent_grants (agent_id, audience, user_id) values (:ownerPublished, 'user', :newcomer)",
      "insert for everyone": "insert into public.agent_grants (agent_id, audience) values (:callerSpare, 'everyone')",
      "update agent": "update public.agent_grants set agent_id = :ownerSpare where id = :heldGrant",
      "update user": "update public.agent_grants set user_id = :newcomer where id = :heldGrant",
      accept: {
        statement: "update public.agent_grants set accepted_at = now() where id = :offeredGrant",
        check: "select 1 from public.agent_grants where id = :offeredGrant and accepted_at is not null",
      },
    },
  }),
  "public.published_agents": rows("public.published_agents", {
    where: "id = :ownerPublished",
    insert: "(name) values ('New')",
    update: "name = 'changed'",
  }),
  "public.agent_offers": rows("public.agent_offers", {
    where: "id = :offeredGrant",
    insert: "(name) values ('New')",
    update: "name = 'changed'",
  }),
  "public.agent_customers": rows("public.agent_customers", {
    where: "agent_id = :ownerPublished and user_id = :member",
    insert: "(agent_id) values (:ownerPublished)",
    update: "agent_id = :ownerSpare",
  }),
  "public.customer_turns": rows("public.customer_turns", {
    where: "agent_id = :ownerPublished",
    insert: "(agent_id) values (:ownerPublished)",
    update: "agent_id = :ownerSpare",
  }),
  "public.guardrails": rows("public.guardrails", {
    where: "id = :agentGuardrail",
    insert: `(agent_id, ${GUARDRAIL}) values (:callerSpare, ${GUARDRAIL_VALUES})`,
    update: "is_active = false",
    more: {
      "insert foreign agent": `insert into public.guardrails (agent_id, ${GUARDRAIL}) values (:ownerAgent, ${GUARDRAIL_VALUES})`,
      "update agent": "update public.guardrails set agent_id = :ownerSpare where id = :agentGuardrail",
      "update secret": {
        statement: "update public.guardrails set secret = 'known' where id = :agentGuardrail",
        check: "select 1 from public.guardrails where id = :agentGuardrail and secret = 'known'",
      },
      "select of swarm": "select 1 from public.guardrails where id = :swarmGuardrail",
      "insert of swarm": `insert into public.guardrails (swarm_id, ${GUARDRAIL}) values (:swarm, ${GUARDRAIL_VALUES})`,
      "update of swarm": "update public.guardrails set is_active = false where id = :swarmGuardrail",
      "delete of swarm": "delete from public.guardrails where id = :swarmGuardrail",
    },
  }),
  "public.agent_cards": rows("public.agent_cards", {
    where: "id = :ownerAgent",
    insert: "(name) values ('New')",
    update: "name = 'changed'",
    more: {
      "select not in the swarm": "select 1 from public.agent_cards where id = :ownerSpare",
    },
  }),
  "public.models": rows("public.models", {
    where: "framework = 'provider_a' and id = 'm'",
    insert: "(framework, id, position) values ('provider_b', 'm', 0)",
    update: "is_default = false",
  }),
  "public.tools": rows("public.tools", {
    where: "id = :privateTool",
    insert: "(owner_id, name, description) values (:caller, 'new', 'a tool')",
    update: "description = 'changed'",
    more: {
      "select shared": "select 1 from public.tools where id = :sharedTool",
      "select public": "select 1 from public.tools where id = :publicTool",
      "select built-in": "select 1 from public.tools where id = :builtinTool",
      "insert for owner": "insert into public.tools (owner_id, name, description) values (:owner, 'new', 'a tool')",
      "insert for nobody": "insert into public.tools (owner_id, name, description) values (null, 'new', 'a tool')",
      "insert built-in":
        "insert into public.tools (owner_id, name, description, kind) values (null, 'new', 'a tool', 'builtin')",
      "insert public":
        "insert into public.tools (owner_id, name, description, visibility) values (:caller, 'new', 'a tool', 'public')",
      "update shared": "update public.tools set description = 'changed' where id = :sharedTool",
      "update public": "update public.tools set description = 'changed' where id = :publicTool",
      "update built-in": "update public.tools set description = 'changed' where id = :builtinTool",
      "update to public": "update public.tools set visibility = 'public' where id = :privateTool",
      "update owner": "update public.tools set owner_id = :newcomer where id = :privateTool",
      "delete shared": "delete from public.tools where id = :sharedTool",
      "delete built-in": "delete from public.tools where id = :builtinTool",
      vouch: {
        statement: "update public.tools set is_vouched = true where id = :privateTool",
        check: "select 1 from public.tools where id = :privateTool and is_vouched",
      },
      "insert vouched": {
        statement:
          "insert into public.tools (owner_id, name, description, is_vouched) values (:caller, 'new', 'a tool', true)",
        check: "select 1 from public.tools where owner_id = :caller and name = 'new' and is_vouched",
      },
      "change vouched": {
        statement: "update public.tools set requires_approval = false where id = :vouchedTool",
        check: "select 1 from public.tools where id = :vouchedTool and is_vouched",
      },
    },
  }),
  "public.agent_tools": rows("public.agent_tools", {
    where: "id = :assignment",
    insert: "(agent_id, tool_id) values (:callerSpare, :builtinTool)",
    update: "enabled = false",
    more: {
      "insert private tool": "insert into public.agent_tools (agent_id, tool_id) values (:callerSpare, :privateTool)",
      "insert shared tool": "insert into public.agent_tools (agent_id, tool_id) values (:callerSpare, :sharedTool)",
      "insert public tool": "insert into public.agent_tools (agent_id, tool_id) values (:callerSpare, :publicTool)",
      "insert foreign agent": "insert into public.agent_tools (agent_id, tool_id) values (:ownerAgent, :builtinTool)",
      "insert for owner": {
        statement:
          "insert into public.agent_tools (agent_id, tool_id, user_id) values (:callerSpare, :builtinTool, :owner)",
        check: "select 1 from public.agent_tools where agent_id = :callerSpare and user_id = :owner",
      },
      "update agent": "update public.agent_tools set agent_id = :ownerSpare where id = :assignment",
      "update tool": "update public.agent_tools set tool_id = :builtinTool where id = :assignment",
      "update owner": "update public.agent_tools set user_id = :newcomer where id = :assignment",
      vouch: {
        statement: "update public.agent_tools set is_vouched = true where id = :assignment",
        check: "select 1 from public.agent_tools where id = :assignment and is_vouched",
      },
      "insert vouched": {
        statement:
          "insert into public.agent_tools (agent_id, tool_id, is_vouched) values (:callerSpare, :builtinTool, true)",
        check: "select 1 from public.agent_tools where agent_id = :callerSpare and is_vouched",
      },
      "change vouched": {
        statement: "update public.agent_tools set configuration = '{}' where id = :vouchedAssignment",
        check: "select 1 from public.agent_tools where id = :vouchedAssignment and is_vouched",
      },
      "update approver": "update public.agent_tools set approver = 'asker' where id = :assignment",
    },
  }),
};
