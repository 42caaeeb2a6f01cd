import assert from "node:assert/strict";
import type { EventRow, Stage } from "./stage.ts";

/** A swarm with one of everybody. All but the viewer have a webhook for every event. */
export interface Room {
  readonly stage: Stage;
  readonly owner: string;
  readonly admin: string;
  readonly member: string;
  readonly viewer: string;
  readonly outsider: string;
  readonly swarm: string;
  readonly agent: string;
  readonly message: string;
}

export async function openRoom(stage: Stage): Promise<Room> {
  const [owner, admin, member, viewer, outsider] = await Promise.all(
    Array.from({ length: 5 }, () => stage.newUser({ user_metadata: { full_name: "Olga" } })),
  );
  assert.ok(owner && admin && member && viewer && outsider);
  const swarm = await stage.newSwarm(owner, { [admin]: "admin", [member]: "member", [viewer]: "viewer" });
  const agent = await stage.newAgent(owner);
  await stage.insert(owner, "swarm_agents", { swarm_id: swarm, agent_id: agent });
  const { id: message } = await stage.insert(member, "messages", { swarm_id: swarm, content: "Hello" });
  await Promise.all([owner, admin, member, outsider].map((user) => stage.listen(user)));
  await stage.takeEvents();
  return { stage, owner, admin, member, viewer, outsider, swarm, agent, message };
}

/** The columns `data` of the table of events, in order. */
const KEYS: Readonly<Record<string, string>> = {
  "message.created":
    "message_id swarm_id content sender_type sender_id sender_name run_id reply_to_id created_at actor",
  "message.updated": "message_id swarm_id content changed_fields edited_at actor",
  "message.deleted": "message_id swarm_id deleted_at actor",
  "message.flagged": "message_id swarm_id content flag actor",
  "swarm.created": "swarm_id name owner_id strategy actor",
  "swarm.updated": "swarm_id changed_fields swarm actor",
  "swarm.deleted": "swarm_id name owner_id actor",
  "swarm.completed": "swarm_id run_id source actor",
  "swarm.agent_added": "swarm_id agent_id agent_name position actor",
  "swarm.agent_removed": "swarm_id agent_id agent_name reason actor",
  "agent.created": "agent_id name framework model role created_at actor",
  "agent.updated": "agent_id changed_fields agent actor",
  "agent.deleted": "agent_id name removed_from_swarms actor",
  "agent.status_changed": "agent_id status previous_status reason run_id swarm_id changed_at",
  "user.joined": "swarm_id user_id role actor",
  "user.removed": "swarm_id user_id role reason actor",
  "user.role_changed": "swarm_id user_id role previous_role actor",
};

export interface ExpectedEvent {
  readonly type: string;
  readonly to: readonly string[];
  /** Members of `data` that matter to the case. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Exactly these events, in this order, each with all members that its type has and with its audience. */
export function assertEvents(actual: readonly EventRow[], expected: readonly ExpectedEvent[]): void {
  assert.deepEqual(
    actual.map(({ type }) => type),
    expected.map(({ type }) => type),
  );
  for (const [place, { type, to, data = {} }] of expected.entries()) {
    const event = actual[place]!;
    assert.equal(Object.keys(event.data).join(" "), KEYS[type], type);
    assert.deepEqual(event.audience.toSorted(), to.toSorted(), `audience of ${type}`);
    const told = Object.fromEntries(Object.keys(data).map((key) => [key, event.data[key]]));
    assert.deepEqual(told, data, type);
  }
}
