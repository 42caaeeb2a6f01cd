import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { apiErrorOf, assertValidationBody } from "./support/api-errors.ts";
import { eventually } from "./support/eventually.ts";
import { NEEDS_RECEIVER } from "./support/given-service.ts";
import { newPerson, openServiceRole, type Person, type Row } from "./support/people.ts";
import { type Receiver, startReceiver } from "./support/receiver.ts";
import { type Service, startService } from "./support/service.ts";
import { UNLIMITED } from "./support/settings.ts";
import { addAgent, addWebhook, envelopeOf, functionsOf, removeWebhooks } from "./support/webhooks.ts";

const HOOK = { name: "Hook", url: "https://example.com/hook", events: ["agent.created"] };
const OF_BOTS = { data: { name: { $endsWith: " bot" } } };

let service: Service;
let ada: Person;
let bob: Person;
before(async () => {
  service = await startService(UNLIMITED);
  [ada, bob] = [await newPerson(service), await newPerson(service)];
});
after(() => service?.stop());

describe("6.1 filters of webhooks", { skip: NEEDS_RECEIVER }, () => {
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver(service);
  });
  after(() => receiver?.stop());
  afterEach(() => removeWebhooks(ada, bob));

  test("6.1 a webhook with a filter receives the events that meet it, and counts the others", async () => {
    const [filtered, all] = [receiver.addEndpoint(), receiver.addEndpoint()];
    const webhook = await addWebhook(ada, filtered.url, { filter: OF_BOTS });
    await addWebhook(ada, all.url);
    const names = ["Ada", "first bot", "Bob", "second bot"];
    for (const name of names) await addAgent(ada, name);
    const sent = (await all.waitFor(4)).map((received) => envelopeOf(received));
    const passed = (await filtered.waitFor(2)).map((received) => envelopeOf(received));
    const nameOf = ({ data }: { data: unknown }) => (data as { name: string }).name;
    assert.deepEqual(sent.map(nameOf).toSorted(), names.toSorted());
    assert.deepEqual(passed.map(nameOf).toSorted(), ["first bot", "second bot"]);
    const backlog = () => ada.send(`GET /webhook_backlog?webhook_id=eq.${webhook.id}`);
    await eventually(backlog, ({ rows }) => rows[0]?.["skipped"] === 2, "both others are counted");
    assert.equal((await ada.send(`GET /webhook_deliveries?webhook_id=eq.${webhook.id}`)).rows.length, 2);

    // A changed filter is in force for the next event, and a test of the webhook does not ask it.
    await ada.send(`PATCH /webhooks?id=eq.${webhook.id}`, { body: { filter: null } });
    await addAgent(ada, "Eve");
    await filtered.waitFor(3);
    await ada.send(`PATCH /webhooks?id=eq.${webhook.id}`, { body: { filter: { type: "none" } } });
    const tested = await functionsOf(ada)("test-webhook", { webhook_id: webhook.id, event_type: "agent.created" });
    assert.equal(tested.body["success"], true);
  });

  test("6.1 a dry run tells which of the caller's last events would pass", async () => {
    const endpoint = receiver.addEndpoint();
    await addWebhook(bob, endpoint.url);
    await addWebhook(bob, endpoint.url);
    const [first, second] = [await addAgent(bob, "new bot"), await addAgent(bob, "Bob")];
    const ids = new Map((await endpoint.waitFor(4)).map(envelopeOf).map(({ id, data }) => [data["agent_id"], id]));
    const body = { action: "test_filter", filter: OF_BOTS };
    const dryRun = async (by: Pick<Person, "send">, more: Row = {}) =>
      (await functionsOf(by)("webhooks", { ...body, ...more })).body["events"] as Row[];
    const events = await dryRun(bob);
    assert.deepEqual(
      new Map(events.map(({ event_id, type, passes }) => [event_id, [type, passes]])),
      new Map([
        [ids.get(first), ["agent.created", true]],
        [ids.get(second), ["agent.created", false]],
      ]),
    );
    const admin = openServiceRole(service);
    assert.deepEqual(await dryRun(admin, { user_id: bob.id }), events);
    const mine = new Set((await dryRun(ada)).map(({ event_id }) => event_id));
    assert.ok(events.every(({ event_id }) => !mine.has(event_id)));
    assert.equal(apiErrorOf(await functionsOf(ada)("webhooks", { ...body, user_id: bob.id })).code, "FORBIDDEN");
    assertValidationBody(await functionsOf(admin)("webhooks", body), ["user_id"]);
  });
});

test("6.1 a filter that is not valid is rejected with a message for each path", async () => {
  const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) });
  const rejected: readonly [unknown, readonly string[]][] = [
    ["paid", ["filter"]],
    [[], ["filter"]],
    [{ data: { a: { $regex: "(a+)+$" }, b: { $gt: true } } }, ["filter.data.a.$regex", "filter.data.b.$gt"]],
    [{ $or: [{ a: 1 }, {}] }, ["filter.$or.1"]],
    [{ a: "a".repeat(5_000) }, ["filter"]],
    [{ a: "\0" }, ["filter"]],
    [{ a: { $in: Array.from({ length: 51 }, (_, place) => place) } }, ["filter"]],
    [deep(18), ["filter"]],
    [deep(900), ["filter"]],
  ];
  const call = functionsOf(ada);
  const { id } = await addWebhook(ada, HOOK.url);
  for (const [filter, fields] of rejected) {
    assertValidationBody(await ada.send("POST /webhooks", { body: { ...HOOK, filter } }), fields);
    assertValidationBody(await ada.send(`PATCH /webhooks?id=eq.${id}`, { body: { filter } }), fields);
    assertValidationBody(await call("webhooks", { action: "test_filter", filter }), fields);
  }
  assertValidationBody(await call("webhooks", { action: "test_filter" }), ["filter"]);
  const wrong = { ...HOOK, filter: { a: { $no: 1 } } };
  assertValidationBody(await ada.send("POST /webhooks", { body: [wrong] }), ["0.filter.a.$no"]);
  await removeWebhooks(ada);
});
