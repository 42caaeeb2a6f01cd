import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type EventValidator, loadEventValidator } from "./support/event-schemas.ts";
import { eventually } from "./support/eventually.ts";
import { NEEDS_RECEIVER } from "./support/given-service.ts";
import { newPerson, type Person, type Row } from "./support/people.ts";
import { type Endpoint, type Receiver, startReceiver } from "./support/receiver.ts";
import { add, change, remove, respond, SIMULATED, addSwarmAgent } from "./support/swarms.ts";
import { type Service, startService } from "./support/service.ts";
import { addWebhook } from "./support/webhooks.ts";

const OF_A_TOOL =
  "tool_execution_id tool_id tool_name agent_id swarm_id run_id duration_ms input output_preview truncated";

/** The required members of `data`, for each type. */
const DOCUMENTED: Readonly<Record<string, string>> = {
  "message.created":
    "message_id swarm_id content sender_type sender_id sender_name run_id reply_to_id created_at actor",
  "message.updated": "message_id swarm_id content changed_fields edited_at actor",
  "message.deleted": "message_id swarm_id deleted_at actor",
  "message.flagged": "message_id swarm_id content flag actor",
  "swarm.created": "swarm_id name owner_id strategy actor",
  "swarm.updated": "swarm_id changed_fields swarm actor",
  "swarm.deleted": "swarm_id name owner_id actor",
  "swarm.completed": "swarm_id run_id status stop_reason message_id response_message_ids usage duration_ms",
  "swarm.agent_added": "swarm_id agent_id agent_name position actor",
  "swarm.agent_removed": "swarm_id agent_id agent_name reason actor",
  "agent.created": "agent_id name framework model role created_at actor",
  "agent.updated": "agent_id changed_fields agent actor",
  "agent.deleted": "agent_id name removed_from_swarms actor",
  "agent.error": "agent_id swarm_id run_id turn_id error attempts framework model",
  "agent.status_changed": "agent_id status previous_status reason run_id swarm_id changed_at",
  "tool.executed": OF_A_TOOL,
  "tool.error": `${OF_A_TOOL} error`,
  "user.joined": "swarm_id user_id role actor",
  "user.removed": "swarm_id user_id role reason actor",
  "user.role_changed": "swarm_id user_id role previous_role actor",
};
const COMPLETED_BY_HAND = "swarm_id run_id source actor";
const ALL_EVENTS = Object.keys(DOCUMENTED);

interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
  readonly data: Row;
}

let service: Service;
let receiver: Receiver;
let validate: EventValidator;
let ada: Person;
let bob: Person;

/** The types that the receiver has received so far. */
const seen = new Set<string>();

/** Deliveries run in parallel; event ids increase in the order of the events. */
function sentTo({ received }: Endpoint): ReceivedEvent[] {
  const events = received.map(({ body }) => JSON.parse(body) as ReceivedEvent);
  for (const one of events) validate(one);
  for (const { type } of events) seen.add(type);
  return events.toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

function waitForEvents(
  endpoint: Endpoint,
  isEnough: (events: readonly ReceivedEvent[]) => boolean,
  what: string,
): Promise<ReceivedEvent[]> {
  return eventually(() => sentTo(endpoint), isEnough, what);
}

/** The end of a run may arrive before its other events, so the test waits for all of them. */
const isWhole =
  (count: number) =>
  (events: readonly ReceivedEvent[]): boolean =>
    events.length >= count && events.some(({ type }) => type === "swarm.completed");
const typesOf = (events: readonly ReceivedEvent[]): string[] => events.map(({ type }) => type);

function assertDocumented({ type, data }: ReceivedEvent): void {
  const isByHand = type === "swarm.completed" && data["run_id"] === null;
  const keys = ((isByHand ? COMPLETED_BY_HAND : DOCUMENTED[type]) ?? "").split(" ");
  for (const key of keys) assert.ok(key in data, `${type} without ${key}: ${JSON.stringify(data)}`);
}

/** A one-line summary of each event. */
function describeEvent({ type, data }: ReceivedEvent, names: ReadonlyMap<unknown, string>): string {
  const who = names.get(data["agent_id"] ?? data["sender_id"]) ?? "?";
  switch (type) {
    case "agent.status_changed":
      return `${who} ${String(data["status"])} (${String(data["reason"])})`;
    case "message.created":
      return `message of ${who}`;
    case "tool.executed":
      return `tool of ${who}`;
    default:
      return type;
  }
}

describe("6.1 all events", { skip: NEEDS_RECEIVER }, () => {
  before(async () => {
    service = await startService(SIMULATED);
    receiver = await startReceiver(service);
    validate = await loadEventValidator(service);
    ada = await newPerson(service);
    bob = await newPerson(service);
  });
  after(async () => {
    await receiver?.stop();
    await service?.stop();
  });

  test("6.1 changes by users raise events in order, each with its documented data", async () => {
    const endpoint = receiver.addEndpoint();
    const webhook = await addWebhook(ada, endpoint.url, { events: ALL_EVENTS });
    const swarm = await add(ada, "swarms", { name: "Room" });
    const agent = await add(ada, "agents", { name: "Ada" });
    await change(ada, "agents", agent, { role: "Guide" });
    await change(ada, "agents", agent, { status: "error" });
    const place = await add(ada, "swarm_agents", { swarm_id: swarm, agent_id: agent });
    const moderation = { enabled: true, blocklist: ["rude"] };
    await change(ada, "swarms", swarm, { settings: { moderation } });
    const message = await add(ada, "messages", { swarm_id: swarm, content: "Hello" });
    await change(ada, "messages", message, { content: "How rude" });
    await remove(ada, "messages", message);
    const membership = await add(ada, "swarm_members", { swarm_id: swarm, user_id: bob.id });
    await change(bob, "swarm_members", membership, { status: "active" });
    await change(ada, "swarm_members", membership, { role: "viewer" });
    const said = await add(ada, "messages", { swarm_id: swarm, content: "Welcome" });
    await add(bob, "message_flags", { message_id: said, reason: "too short" });
    await remove(bob, "swarm_members", membership);
    await remove(ada, "swarm_agents", place);
    await change(ada, "swarms", swarm, { status: "completed" });
    await remove(ada, "agents", agent);
    await remove(ada, "swarms", swarm);

    const expected = `swarm.created agent.created agent.updated agent.status_changed swarm.agent_added swarm.updated
      message.created message.updated message.flagged message.deleted user.joined user.role_changed message.created
      message.flagged user.removed swarm.agent_removed swarm.completed agent.deleted swarm.deleted`.split(/\s+/);
    const events = await waitForEvents(endpoint, ({ length }) => length >= expected.length, "all that people did");
    assert.deepEqual(typesOf(events), expected);
    for (const one of events) assertDocumented(one);
    const sources = events.filter(({ type }) => type === "message.flagged").map(({ data }) => data["flag"] as Row);
    assert.deepEqual(
      sources.map(({ source, category }) => [source, category]),
      [
        ["moderation", "blocklist"],
        ["user", null],
      ],
    );
    await remove(ada, "webhooks", webhook.id);
  });

  test("6.1 a run of two agents with a tool raises its events in the documented order", async () => {
    const swarm = await add(ada, "swarms", { name: "Two" });
    const [one, two] = [
      await addSwarmAgent(ada, swarm, "One", ["calculator"]),
      await addSwarmAgent(ada, swarm, "Two", ["calculator"]),
    ];
    const endpoint = receiver.addEndpoint();
    const webhook = await addWebhook(ada, endpoint.url, { events: ALL_EVENTS });
    const run = await respond(ada, swarm, 'What is it?\n/tool calculator {"expression": "6 * 7"}');
    assert.equal(run.status, "completed");
    const names = new Map([
      [one, "One"],
      [two, "Two"],
      [ada.id, "Ada"],
    ]);
    const turnOf = (name: string): string[] => [
      `${name} thinking (run_started)`,
      `tool of ${name}`,
      `${name} responding (first_token)`,
      `message of ${name}`,
      `${name} idle (run_completed)`,
    ];
    const expected = ["message of Ada", ...turnOf("One"), ...turnOf("Two"), "swarm.completed"];
    const events = await waitForEvents(endpoint, isWhole(expected.length), "the whole run");
    for (const event of events) assertDocumented(event);
    assert.deepEqual(
      events.map((event) => describeEvent(event, names)),
      expected,
    );
    const last = events.at(-1)?.data ?? {};
    assert.deepEqual([last["run_id"], last["status"], last["stop_reason"]], [run.run_id, "completed", "all_replied"]);
    const replies = run.responses.map(({ message }) => (message as Row)["id"]);
    assert.deepEqual(last["response_message_ids"], replies);
    const executed = events.find(({ type }) => type === "tool.executed")?.data ?? {};
    assert.deepEqual([executed["tool_name"], executed["input"]], ["calculator", { expression: "6 * 7" }]);
    assert.match(String(executed["output_preview"]), /42/);
    await remove(ada, "webhooks", webhook.id);
  });

  test("6.1 a failed turn and a failed tool raise their events, and other turns continue", async () => {
    const swarm = await add(ada, "swarms", { name: "Trouble" });
    await addSwarmAgent(ada, swarm, "Well", ["calculator"]);
    const ill = await addSwarmAgent(ada, swarm, "Ill");
    const endpoint = receiver.addEndpoint();
    const webhook = await addWebhook(ada, endpoint.url, { events: ALL_EVENTS });
    const run = await respond(ada, swarm, '/fail 5xx Ill\n/tool calculator {"expression": "6 *"}');
    assert.equal(run.status, "partial");
    const hasFailed = (all: readonly ReceivedEvent[]): boolean =>
      isWhole(1)(all) &&
      ["agent.error", "tool.error"].every((type) => typesOf(all).includes(type)) &&
      all.some(({ data }) => data["agent_id"] === ill && data["status"] === "error");
    const events = await waitForEvents(endpoint, hasFailed, "what went wrong in the run");
    for (const event of events) assertDocumented(event);
    const failed = events.filter(({ type }) => type === "agent.error").map(({ data }) => data);
    assert.equal(failed.length, 1);
    const [{ agent_id, run_id, error } = {}] = failed;
    assert.deepEqual([agent_id, run_id], [ill, run.run_id]);
    for (const key of ["code", "message", "retryable", "provider_status"]) assert.ok(key in (error as Row), key);
    const broken = events.filter(({ type }) => type === "tool.error");
    assert.ok(broken.length >= 1, typesOf(events).join());
    const status = events.findLast(({ type, data }) => type === "agent.status_changed" && data["agent_id"] === ill);
    assert.deepEqual([status?.data["status"], status?.data["reason"]], ["error", "run_failed"]);
    await remove(ada, "webhooks", webhook.id);
  });

  test("6.1 a run that auto_respond starts raises the same events", async () => {
    const swarm = await add(ada, "swarms", { name: "Talkative", settings: { auto_respond: true } });
    const agent = await addSwarmAgent(ada, swarm, "One");
    const endpoint = receiver.addEndpoint();
    const webhook = await addWebhook(ada, endpoint.url, { events: ALL_EVENTS });
    const message = await add(ada, "messages", { swarm_id: swarm, content: "Anybody there?" });
    const names = new Map([
      [agent, "One"],
      [ada.id, "Ada"],
    ]);
    const expected = [
      "message of Ada",
      "One thinking (run_started)",
      "One responding (first_token)",
      "message of One",
      "One idle (run_completed)",
      "swarm.completed",
    ];
    const events = await waitForEvents(
      endpoint,
      isWhole(expected.length),
      "the whole of a run that nobody asked for by a call",
    );
    assert.deepEqual(
      events.map((event) => describeEvent(event, names)),
      expected,
    );
    assert.equal(events.at(-1)?.data["message_id"], message);
    await remove(ada, "webhooks", webhook.id);
  });

  test("6.1 events go to the owner of agents and tools and to the members of a swarm, and to nobody else", async () => {
    const swarm = await add(ada, "swarms", { name: "Shared" });
    await addSwarmAgent(ada, swarm, "One", ["calculator"]);
    const membership = await add(ada, "swarm_members", { swarm_id: swarm, user_id: bob.id, role: "viewer" });
    await change(bob, "swarm_members", membership, { status: "active" });
    const [hers, his, elses] = [receiver.addEndpoint(), receiver.addEndpoint(), receiver.addEndpoint()];
    const eve = await newPerson(service);
    for (const [person, { url }] of [
      [ada, hers],
      [bob, his],
      [eve, elses],
    ] as const)
      await addWebhook(person, url, { events: ALL_EVENTS });
    await respond(ada, swarm, '/tool calculator {"expression": "1 + 1"}');
    const whole = await waitForEvents(hers, isWhole(7), "the whole run");
    const part = await waitForEvents(his, isWhole(3), "what a member waitForEvents of it");
    assert.deepEqual(typesOf(part), ["message.created", "message.created", "swarm.completed"]);
    assert.deepEqual(typesOf(whole.filter(({ type }) => /^(agent|tool)\./.test(type))), [
      "agent.status_changed",
      "tool.executed",
      "agent.status_changed",
      "agent.status_changed",
    ]);
    assert.deepEqual(elses.received, []);
  });

  test("6.1 a webhook receives no other event types, no events of other users, and nothing while it is disabled", async () => {
    const endpoints = [0, 1, 2, 3].map(() => receiver.addEndpoint());
    const [wanted, otherType, foreign, off] = endpoints;
    const webhook = await addWebhook(ada, wanted?.url ?? "");
    await addWebhook(ada, otherType?.url ?? "", { events: ["agent.deleted"] });
    await addWebhook(bob, foreign?.url ?? "");
    await addWebhook(ada, off?.url ?? "", { is_active: false });
    await add(ada, "agents", { name: "First" });
    await add(ada, "agents", { name: "Second" });
    await wanted?.waitFor(2);
    await remove(ada, "webhooks", webhook.id);
    assert.deepEqual(
      endpoints.map(({ received }) => received.length),
      [2, 0, 0, 0],
    );
  });

  test("6.1 the tests of this file raise all twenty event types", () => {
    assert.deepEqual([...seen].toSorted(), ALL_EVENTS.toSorted());
    assert.throws(() => validate({ type: "agent.created" }), /agent\.created\.data is missing/);
  });
});
