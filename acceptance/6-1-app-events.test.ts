import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { verifyWebhook } from "@swarmbase/sdk";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { apiErrorOf, assertValidationBody } from "./support/api-errors.ts";
import { NEEDS_RECEIVER } from "./support/given-service.ts";
import { newPerson, onlyRow, openSend, openServiceRole, type Person, type Row, type Send } from "./support/people.ts";
import { firstOf, type Received, type Receiver, startReceiver } from "./support/receiver.ts";
import { type Service, startService } from "./support/service.ts";
import { UNLIMITED } from "./support/settings.ts";
import { add } from "./support/swarms.ts";
import { addWebhook, assertCallRejected, envelopeOf, functionsOf, removeWebhooks } from "./support/webhooks.ts";

/** Other files and runs may use the same service. */
const PREFIX = `app.test_${Math.random().toString(36).slice(2)}`;
const [OPEN, CLOSED, HIDDEN] = [`${PREFIX}.open`, `${PREFIX}.closed`, `${PREFIX}.hidden`];
const SCHEMA = { type: "object", properties: { total: { type: "number" } }, required: ["total"] };

let service: Service;
let ada: Person;
let bob: Person;
let admin: { readonly send: Send };

const emit = (by: { readonly send: Send }, events: unknown, key?: string) =>
  by.send("POST /functions/v1/events", {
    body: { action: "emit", events },
    headers: { "idempotency-key": key },
  });

before(async () => {
  service = await startService(UNLIMITED);
  [ada, bob, admin] = [await newPerson(service), await newPerson(service), openServiceRole(service)];
  const types = [
    { name: OPEN, description: "An order", users_may_emit: true, schema: SCHEMA, example: { total: 1 } },
    { name: CLOSED, schema: SCHEMA },
    { name: HIDDEN, users_may_emit: true, listed: false, schema: SCHEMA, example: {} },
  ];
  for (const body of types) assert.equal((await admin.send("POST /event_types", { body })).status, 201);
});
after(async () => {
  await admin?.send(`DELETE /event_types?name=like.${PREFIX}*`);
  await service?.stop();
});

describe("6.1 events of the app reach webhooks", { skip: NEEDS_RECEIVER }, () => {
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver(service);
  });
  after(() => receiver?.stop());
  afterEach(() => removeWebhooks(ada, bob));

  const listen = async (person: Person, row: Row = {}) => {
    const endpoint = receiver.addEndpoint();
    const webhook = await addWebhook(person, endpoint.url, { events: [OPEN, CLOSED], ...row });
    return { webhook, first: async (): Promise<Received> => firstOf(await endpoint.waitFor(1)) };
  };

  test("6.1 an event that a user emits by rpc is sent as every other event", async () => {
    const { webhook, first } = await listen(ada);
    const data = '{"total":12345678901234567890.50,"__proto__":{"a":1}}';
    const body = `{"type":"${OPEN}","data":${data},"user_id":"${ada.id}"}`;
    const answer = await ada.send("POST /rpc/emit_event", { body });
    const received = await first();
    const envelope = envelopeOf(received);
    assert.deepEqual([answer.status, JSON.parse(answer.text)], [200, envelope.id]);
    assert.deepEqual(Object.keys(envelope), ["id", "type", "created_at", "api_version", "data"]);
    assert.equal(envelope.type, OPEN);
    assert.ok(received.body.endsWith(`"data":${data}}`), received.body);
    assert.equal(received.headers["x-service-event"], OPEN);
    await verifyWebhook(received.body, received.headers, webhook.secret);
    const headers = Object.fromEntries(Object.entries(received.headers).map(([name, value]) => [name, String(value)]));
    for (const library of [new StandardWebhook(webhook.secret), new SvixWebhook(webhook.secret)]) {
      library.verify(received.body, headers);
      assert.throws(() => library.verify(received.body.replace('"total"', '"fatal"'), headers));
    }
  });

  test("6.1 the members of a swarm receive an event for it, and nobody else does", async () => {
    const swarm = await add(ada, "swarms", { name: "Room" });
    const [{ first }, stranger] = [await listen(ada), await listen(bob)];
    assert.equal((await emit(ada, [{ type: OPEN, data: { total: 1 }, swarm_id: swarm }])).status, 200);
    assert.deepEqual(envelopeOf(await first()).data, { total: 1 });
    assert.equal((await emit(bob, [{ type: OPEN, data: { total: 2 }, user_id: bob.id }])).status, 200);
    assert.deepEqual(envelopeOf(await stranger.first()).data, { total: 2 });
  });

  test("6.1 an event for nobody in particular reaches the webhooks that the service role has chosen", async () => {
    const [chosen, other] = [await listen(bob), await listen(ada)];
    const path = `PATCH /webhooks?id=eq.${chosen.webhook.id}`;
    const body = { receives_app_events: true };
    assert.deepEqual(apiErrorOf(await bob.send(path, { body })).code, "FORBIDDEN");
    assert.equal((await admin.send(path, { body })).status, 204);
    await emit(admin, [{ type: CLOSED, data: { total: 1 } }]);
    await emit(admin, [{ type: CLOSED, data: { total: 2 }, user_id: ada.id }]);
    assert.deepEqual(envelopeOf(await chosen.first()).data, { total: 1 });
    assert.deepEqual(envelopeOf(await other.first()).data, { total: 2 });
  });

  test("6.1 a webhook is tested with the example of a type that its owner can see", async () => {
    const { webhook, first } = await listen(ada);
    const call = functionsOf(ada);
    const sample = { webhook_id: webhook.id, event_type: OPEN };
    assert.equal((await call("test-webhook", sample)).body["success"], true);
    assert.deepEqual(envelopeOf(await first()).data, { total: 1, test: true });
    for (const event_type of [HIDDEN, `${PREFIX}.missing`])
      await assertCallRejected(call, ["test-webhook", { ...sample, event_type }], [400, "INVALID_EVENTS"]);
  });
});

test("6.1 events are emitted once with one Idempotency-Key, by users and by the service role", async () => {
  const events = [
    { type: OPEN, data: { total: 1 }, user_id: ada.id },
    { type: OPEN, data: { total: 2 }, user_id: ada.id },
  ];
  for (const by of [ada, admin]) {
    const key = `${PREFIX} key`;
    const first = await emit(by, events, key);
    assert.equal((first.body["ids"] as string[]).length, 2);
    const again = await emit(by, events, key);
    assert.deepEqual([again.status, again.text], [200, first.text]);
    assert.equal(again.headers["idempotent-replayed"], "true");
    assert.equal(apiErrorOf(await emit(by, [events[0]], key)).code, "IDEMPOTENCY_KEY_REUSED");
    assert.notEqual((await emit(by, events)).text, first.text);
  }
});

test("6.1 calls at the same time share no rejection, no rights and no ids", async () => {
  const own = (total: number) => ({ type: OPEN, data: { total }, user_id: ada.id });
  const calls = Array.from({ length: 24 }, (_, at) => {
    if (at % 4 === 1) return emit(ada, [own(at), { ...own(at), user_id: bob.id }]);
    if (at % 4 === 2) return emit(bob, [own(at)]);
    return emit(at % 4 === 0 ? ada : admin, [own(at), own(at)], at % 8 === 0 ? `${PREFIX} shared` : undefined);
  });
  const answers = await Promise.all(calls);
  const statuses = answers.map(({ status }) => status);
  // The bodies with the shared key differ, so one of the three is answered with its ids.
  const keyed = statuses.filter((_, at) => at % 8 === 0);
  assert.deepEqual([keyed.length, keyed.filter((status) => status === 422).length], [3, 2]);
  for (const [at, status] of statuses.entries())
    if (at % 8 !== 0) assert.equal(status, at % 4 === 1 || at % 4 === 2 ? 403 : 200, `call ${at}`);
  const ids = answers.flatMap(({ body }) => (body["ids"] as string[] | undefined) ?? []);
  assert.equal(new Set(ids).size, 2 * statuses.filter((status) => status === 200).length);
});

test("6.1 events that the caller may not emit, or that are not valid, are rejected with their place", async () => {
  const fine = { type: OPEN, data: { total: 1 }, user_id: ada.id };
  const rejected: readonly [Row, string, string][] = [
    [{ type: HIDDEN }, "INVALID_EVENTS", "events.1.type"],
    [{ type: `${PREFIX}.missing` }, "INVALID_EVENTS", "events.1.type"],
    [{ type: "agent.created" }, "INVALID_EVENTS", "events.1.type"],
    [{ type: CLOSED }, "FORBIDDEN", "events.1"],
    [{ user_id: bob.id }, "FORBIDDEN", "events.1"],
    [{ user_id: null }, "FORBIDDEN", "events.1"],
    [{ data: { total: "1" } }, "VALIDATION_ERROR", "events.1.data"],
    [{ data: { total: 1, text: "\0" } }, "VALIDATION_ERROR", "events.1.data"],
    [{ data: [] }, "VALIDATION_ERROR", "events.1.data"],
    [{ type: "\0" }, "VALIDATION_ERROR", "events.1.type"],
    [{ data: { total: 1, text: "a".repeat(300_000) } }, "PAYLOAD_TOO_LARGE", "events.1.data"],
  ];
  for (const [change, code, place] of rejected) {
    const answer = apiErrorOf(await emit(ada, [fine, { ...fine, ...change }]));
    assert.deepEqual(
      [answer.code, Object.keys(answer.details as object)],
      [code, [place]],
      JSON.stringify(change).slice(0, 60),
    );
  }
  const many = Array.from({ length: 101 }, () => fine);
  for (const events of [[], many, null]) assertValidationBody(await emit(ada, events), ["events"]);
  const large = { type: OPEN, data: { text: "a".repeat(300_000) }, user_id: ada.id };
  assert.equal((await ada.send("POST /rpc/emit_event", { body: large })).status, 413);
  const anon = { send: openSend(service, { token: service.credentials.anon_key }) };
  assert.equal((await emit(anon, [fine])).status, 401);
  assert.equal((await anon.send("POST /rpc/emit_event", { body: fine })).status, 401);
});

test("6.1 unknown types of the app and types that are not listed are INVALID_EVENTS for a webhook", async () => {
  const row = { name: "Hook", url: "https://example.com/hook" };
  for (const type of [HIDDEN, `${PREFIX}.missing`, "app", "app.", "application.open"]) {
    const { status, code } = apiErrorOf(await ada.send("POST /webhooks", { body: { ...row, events: [OPEN, type] } }));
    assert.deepEqual([status, code], [400, "INVALID_EVENTS"], type);
  }
  const seen = (await ada.send(`GET /event_types?name=like.${PREFIX}*&order=name`)).rows;
  assert.deepEqual(
    seen.map(({ name }) => name),
    [CLOSED, OPEN],
  );
});

test("6.1 event types have a JSON Schema of bounded size, and only the service role writes them", async () => {
  const body = { name: `${PREFIX}.more` };
  assert.equal(apiErrorOf(await ada.send("POST /event_types", { body })).code, "FORBIDDEN");
  const deep = (levels: number): unknown => (levels === 0 ? {} : { properties: { a: deep(levels - 1) } });
  const rejected: readonly [string, unknown][] = [
    ["name", "agent.created"],
    ["name", "app.Order"],
    ["schema", { type: "nothing" }],
    ["schema", { $ref: "#" }],
    ["schema", { pattern: "(a+)+(?=b)" }],
    ["schema", deep(40)],
    ["schema", []],
    ["example", "text"],
    ["users_may_emit", "yes"],
  ];
  for (const [field, value] of rejected)
    assertValidationBody(await admin.send("POST /event_types", { body: { ...body, [field]: value } }), [field]);
  const made = onlyRow(await admin.send("POST /event_types", { body, headers: { prefer: "return=representation" } }));
  assert.deepEqual(
    [made["schema"], made["example"], made["users_may_emit"], made["listed"]],
    [null, null, false, true],
  );
});
