import type { EventType } from "@swarmbase/sdk";

const ID = "00000000-0000-4000-8000-000000000000";
const TEXT = "This is a test.";
const ERROR = { code: "TEST", message: TEXT, retryable: false };
const AGENT = { agent_id: ID, name: "Test agent" };
const TOOL = { tool_execution_id: ID, tool_id: ID, tool_name: "test_tool", agent_id: ID, swarm_id: ID, run_id: ID };
const IN_SWARM = { swarm_id: ID, agent_id: ID, agent_name: "Test agent" };

/** Data in the shape that the event has, about nothing that exists; `test` tells a receiver so. */
export function buildSampleEvent(type: EventType, userId: string, now: Date): Record<string, unknown> {
  return { ...SAMPLES[type](now.toISOString()), actor: { type: "user", id: userId }, test: true };
}

const SAMPLES: Readonly<Record<EventType, (now: string) => Record<string, unknown>>> = {
  "message.created": (now) => ({
    message_id: ID,
    swarm_id: ID,
    content: TEXT,
    sender_type: "user",
    sender_id: ID,
    sender_name: "Test user",
    run_id: null,
    reply_to_id: null,
    created_at: now,
  }),
  "message.updated": (now) => ({
    message_id: ID,
    swarm_id: ID,
    content: TEXT,
    changed_fields: ["content"],
    edited_at: now,
  }),
  "message.deleted": (now) => ({ message_id: ID, swarm_id: ID, deleted_at: now }),
  "message.flagged": () => ({ message_id: ID, swarm_id: ID, content: TEXT, flag: { source: "user", reason: TEXT } }),
  "swarm.created": () => ({ swarm_id: ID, name: "Test swarm", owner_id: ID, strategy: "mention" }),
  "swarm.updated": () => ({
    swarm_id: ID,
    changed_fields: ["name"],
    swarm: { id: ID, name: "Test swarm" },
  }),
  "swarm.deleted": () => ({ swarm_id: ID, name: "Test swarm", owner_id: ID }),
  "swarm.completed": () => ({ swarm_id: ID, run_id: null, source: "manual" }),
  "swarm.agent_added": () => ({ ...IN_SWARM, position: 1 }),
  "swarm.agent_removed": () => ({ ...IN_SWARM, reason: "removed" }),
  "agent.created": (now) => ({ ...AGENT, framework: "provider_a", model: null, role: null, created_at: now }),
  "agent.updated": () => ({ agent_id: ID, changed_fields: ["name"], agent: { id: ID, name: "Test agent" } }),
  "agent.deleted": () => ({ ...AGENT, removed_from_swarms: [] }),
  "agent.error": () => ({
    agent_id: ID,
    swarm_id: ID,
    run_id: ID,
    turn_id: ID,
    error: ERROR,
    attempts: 1,
    framework: "provider_a",
    model: null,
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
  "tool.executed": () => ({ ...TOOL, duration_ms: 1, input: {}, output_preview: TEXT, truncated: false }),
  "tool.error": () => ({ ...TOOL, duration_ms: 1, input: {}, error: ERROR }),
  "user.joined": () => ({ swarm_id: ID, user_id: ID, role: "member" }),
  "user.removed": () => ({ swarm_id: ID, user_id: ID, role: "member", reason: "removed" }),
  "user.role_changed": () => ({ swarm_id: ID, user_id: ID, role: "admin", previous_role: "member" }),
};
