import type { EventActor, EventData, EventType } from "@swarmbase/sdk";

const ID = "00000000-0000-4000-8000-000000000000";
const TEXT = "This is a test.";
const ERROR = { code: "TEST", message: TEXT, retryable: false };
const AGENT = { agent_id: ID, name: "Test agent" };
const IN_SWARM = { swarm_id: ID, agent_id: ID, agent_name: "Test agent" };
const TOOL = {
  tool_execution_id: ID,
  tool_id: ID,
  tool_name: "test_tool",
  agent_id: ID,
  swarm_id: ID,
  run_id: ID,
  duration_ms: 1,
  input: {},
  output_preview: TEXT,
  truncated: false,
};

/** Sample data in the shape of the event type, marked with `test`. Its ids refer to nothing. */
export function buildSampleEvent(type: EventType, userId: string, now: Date): Record<string, unknown> {
  return { ...SAMPLES[type](now.toISOString(), { type: "user", id: userId }), test: true };
}

type Samples = { readonly [Type in EventType]: (now: string, actor: EventActor) => EventData<Type> };

const SAMPLES: Samples = {
  "message.created": (now, actor) => ({
    message_id: ID,
    swarm_id: ID,
    content: TEXT,
    sender_type: "user",
    sender_id: ID,
    sender_name: "Test user",
    run_id: null,
    reply_to_id: null,
    created_at: now,
    actor,
  }),
  "message.updated": (now, actor) => ({
    message_id: ID,
    swarm_id: ID,
    content: TEXT,
    changed_fields: ["content"],
    edited_at: now,
    actor,
  }),
  "message.deleted": (now, actor) => ({ message_id: ID, swarm_id: ID, deleted_at: now, actor }),
  "message.flagged": (_now, actor) => ({
    message_id: ID,
    swarm_id: ID,
    content: TEXT,
    flag: { id: ID, source: "user", category: null, reason: TEXT },
    actor,
  }),
  "swarm.created": (_now, actor) => ({
    swarm_id: ID,
    name: "Test swarm",
    owner_id: ID,
    strategy: "round_robin",
    actor,
  }),
  "swarm.updated": (now, actor) => ({
    swarm_id: ID,
    changed_fields: ["name"],
    swarm: {
      id: ID,
      owner_id: ID,
      name: "Test swarm",
      description: null,
      avatar: null,
      status: "active",
      strategy: "round_robin",
      coordinator_agent_id: null,
      settings: {},
      created_at: now,
      updated_at: now,
    },
    actor,
  }),
  "swarm.deleted": (_now, actor) => ({ swarm_id: ID, name: "Test swarm", owner_id: ID, actor }),
  "swarm.completed": (_now, actor) => ({ swarm_id: ID, run_id: null, source: "manual", actor }),
  "swarm.agent_added": (_now, actor) => ({ ...IN_SWARM, position: 1, actor }),
  "swarm.agent_removed": (_now, actor) => ({ ...IN_SWARM, reason: "removed", actor }),
  "agent.created": (now, actor) => ({
    ...AGENT,
    framework: "provider_a",
    model: null,
    role: null,
    created_at: now,
    actor,
  }),
  "agent.updated": (now, actor) => ({
    agent_id: ID,
    changed_fields: ["name"],
    agent: {
      id: ID,
      user_id: ID,
      name: "Test agent",
      role: null,
      avatar: null,
      framework: "provider_a",
      model: null,
      system_prompt: null,
      settings: {},
      status: "idle",
      created_at: now,
      updated_at: now,
    },
    actor,
  }),
  "agent.deleted": (_now, actor) => ({ ...AGENT, removed_from_swarms: [], actor }),
  "agent.error": () => ({
    agent_id: ID,
    swarm_id: ID,
    run_id: ID,
    turn_id: ID,
    error: { ...ERROR, provider_status: null },
    attempts: 1,
    framework: "provider_a",
    model: "test-model",
  }),
  "agent.status_changed": (now) => ({
    agent_id: ID,
    status: "thinking",
    previous_status: "idle",
    reason: "manual",
    run_id: null,
    swarm_id: null,
    changed_at: now,
  }),
  "tool.executed": () => ({ ...TOOL }),
  "tool.error": () => ({ ...TOOL, output_preview: null, error: ERROR }),
  "user.joined": (_now, actor) => ({ swarm_id: ID, user_id: ID, role: "member", actor }),
  "user.removed": (_now, actor) => ({ swarm_id: ID, user_id: ID, role: "member", reason: "removed", actor }),
  "user.role_changed": (_now, actor) => ({
    swarm_id: ID,
    user_id: ID,
    role: "admin",
    previous_role: "member",
    actor,
  }),
};
