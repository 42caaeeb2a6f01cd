import assert from "node:assert/strict";
import { EVENT_DESCRIPTIONS, isEventType } from "@swarmbase/sdk";
import type { EventRow, Stage } from "./stage.ts";

/** A swarm with one of everybody. All but the viewer have a webhook for every event. */
export interface SwarmFixture {
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

export async function openSwarmFixture(stage: Stage): Promise<SwarmFixture> {
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

/** The members of `data` that the description of the type requires, in order; more than one list when it has variants. */
function documentedKeys(type: string): readonly string[] {
  assert.ok(isEventType(type), type);
  const { data } = EVENT_DESCRIPTIONS[type];
  return (data.anyOf ?? [data]).map(({ required = [] }) => required.join(" "));
}

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
    const keys = Object.keys(event.data).join(" ");
    assert.ok(documentedKeys(type).includes(keys), `${type} has ${keys}`);
    assert.deepEqual(event.audience.toSorted(), to.toSorted(), `audience of ${type}`);
    const emitted = Object.fromEntries(Object.keys(data).map((key) => [key, event.data[key]]));
    assert.deepEqual(emitted, data, type);
  }
}
