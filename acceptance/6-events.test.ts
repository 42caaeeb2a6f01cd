import assert from "node:assert/strict";
import { once } from "node:events";
import net from "node:net";
import { after, afterEach, before, describe, test } from "node:test";
import { eventually } from "./support/eventually.ts";
import { newPerson, onlyRow, type Person, REPRESENTATION, type Row } from "./support/people.ts";
import { type Endpoint, type Received, type Receiver, type Reply, startReceiver } from "./support/receiver.ts";
import { IS_SERVICE_GIVEN, type Service, startOwnService } from "./support/service.ts";
import { signatureOf, standardSignatureOf } from "./support/signatures.ts";
import {
  addAgent,
  addWebhook,
  functionsOf,
  listAttempts,
  listDeliveries,
  QUICK_RETRIES,
  waitForStatus,
} from "./support/webhooks.ts";

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const EVENTS_OF_TABLES = `message.created message.updated message.deleted message.flagged swarm.created swarm.updated
  swarm.deleted swarm.completed swarm.agent_added swarm.agent_removed agent.created agent.updated agent.deleted
  agent.status_changed user.joined user.removed user.role_changed`.split(/\s+/);
const EVENTS_OF_RUNS = ["agent.error", "tool.executed", "tool.error"];
const ALL_EVENTS = [...EVENTS_OF_TABLES, ...EVENTS_OF_RUNS];
const HOUR_MS = 3_600_000;

interface Envelope {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  readonly api_version: string;
  readonly data: Row;
}

let service: Service;
let receiver: Receiver;
let ada: Person;
let bob: Person;

function envelopeOf({ body }: Received): Envelope {
  return JSON.parse(body) as Envelope;
}

function firstOf(received: readonly Received[]): Received {
  const [first] = received;
  assert.ok(first !== undefined);
  return first;
}

async function add({ send }: Person, table: string, body: Row): Promise<string> {
  return String(onlyRow(await send(`POST /${table}`, { body, headers: REPRESENTATION }))["id"]);
}

async function change({ send }: Person, table: string, id: string, body: Row): Promise<void> {
  const { status, text } = await send(`PATCH /${table}?id=eq.${id}`, { body });
  assert.equal(status, 204, text);
}

async function remove({ send }: Person, table: string, id: string): Promise<void> {
  const { status, text } = await send(`DELETE /${table}?id=eq.${id}`);
  assert.equal(status, 204, text);
}

describe("6 events", { skip: IS_SERVICE_GIVEN && "needs a schedule of its own" }, () => {
  before(async () => {
    service = await startOwnService(QUICK_RETRIES);
    receiver = await startReceiver(service);
    ada = await newPerson(service);
    bob = await newPerson(service);
  });
  after(async () => {
    await receiver?.stop();
    await service?.stop();
  });

  afterEach(async () => {
    for (const { id, send } of [ada, bob]) await send(`DELETE /webhooks?user_id=eq.${id}`);
  });

  test("6.1 every operation that is an event is delivered, under its type", async () => {
    const endpoint = receiver.addEndpoint();
    await addWebhook(ada, endpoint.url, { events: ALL_EVENTS });

    const agent = await addAgent(ada);
    await change(ada, "agents", agent, { name: "Bob" });
    await change(ada, "agents", agent, { status: "thinking" });
    const swarm = await add(ada, "swarms", { name: "Room" });
    await change(ada, "swarms", swarm, { description: "a room" });
    const place = await add(ada, "swarm_agents", { swarm_id: swarm, agent_id: agent });
    await remove(ada, "swarm_agents", place);
    const message = await add(ada, "messages", { swarm_id: swarm, content: "Hi" });
    await change(ada, "messages", message, { content: "Hello" });
    await add(ada, "message_flags", { message_id: message, swarm_id: swarm, reason: "rude" });
    await remove(ada, "messages", message);
    const member = await add(ada, "swarm_members", { swarm_id: swarm, user_id: bob.id });
    await change(bob, "swarm_members", member, { status: "active" });
    await change(ada, "swarm_members", member, { role: "admin" });
    await remove(ada, "swarm_members", member);
    await change(ada, "swarms", swarm, { status: "completed" });
    await remove(ada, "swarms", swarm);
    await remove(ada, "agents", agent);

    const received = await endpoint.waitFor(EVENTS_OF_TABLES.length);
    const types = received.map((one) => envelopeOf(one).type);
    assert.deepEqual(types.toSorted(), EVENTS_OF_TABLES.toSorted());
    assert.deepEqual(
      received.map(({ headers }) => headers["x-service-event"]),
      types,
    );
    assert.equal(new Set(received.map((one) => envelopeOf(one).id)).size, types.length);
  });

  test("6.1 events that only runs raise can be subscribed to and tested", async () => {
    const endpoint = receiver.addEndpoint();
    const { id } = await addWebhook(ada, endpoint.url, { events: EVENTS_OF_RUNS });
    for (const event_type of EVENTS_OF_RUNS) {
      const { body } = await functionsOf(ada)("test-webhook", { webhook_id: id, event_type });
      assert.equal(body["success"], true);
    }
    assert.deepEqual(
      endpoint.received.map((one) => envelopeOf(one).type),
      EVENTS_OF_RUNS,
    );
  });

  test("6.1 nothing else arrives: other types, other people's events, webhooks that are off", async () => {
    const endpoints = [0, 1, 2, 3].map(() => receiver.addEndpoint());
    const [wanted, otherType, foreign, off] = endpoints;
    await addWebhook(ada, wanted?.url ?? "");
    await addWebhook(ada, otherType?.url ?? "", { events: ["agent.deleted"] });
    await addWebhook(bob, foreign?.url ?? "");
    await addWebhook(ada, off?.url ?? "", { is_active: false });
    await addAgent(ada, "First");
    await addAgent(ada, "Second");
    await wanted?.waitFor(2);
    assert.deepEqual(
      endpoints.map(({ received }) => received.length),
      [2, 0, 0, 0],
    );
  });

  test("6.2 the envelope of message.created, its members in order", async () => {
    const endpoint = receiver.addEndpoint();
    const webhook = await addWebhook(ada, endpoint.url, { events: ["message.created"] });
    const swarm = await add(ada, "swarms", { name: "Room" });
    const startedAtMs = Date.now();
    const content = 'grüße 🐝 "quoted" \\ </script>\n\u2028';
    const message = await add(ada, "messages", { swarm_id: swarm, content });
    const received = firstOf(await endpoint.waitFor(1));
    const envelope = envelopeOf(received);
    assert.deepEqual(Object.keys(envelope), ["id", "type", "created_at", "api_version", "data"]);
    assert.match(envelope.id, new RegExp(`^evt_${UUID}$`));
    assert.equal(envelope.type, "message.created");
    assert.match(envelope.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.ok(Math.abs(Date.parse(envelope.created_at) - startedAtMs) < 60_000);
    const { message_id, swarm_id, content: told } = envelope.data;
    assert.deepEqual([message_id, swarm_id, told], [message, swarm, content]);

    const delivery = await waitForStatus(ada, webhook, "delivered");
    assert.deepEqual(delivery["payload"], envelope);
    assert.deepEqual(
      [delivery["event_type"], delivery["status_code"], delivery["attempts"]],
      ["message.created", 200, 1],
    );
    assert.deepEqual([delivery["response_body"], delivery["next_retry_at"]], ["ok", null]);
    assert.ok(Number.isFinite(Date.parse(String(delivery["delivered_at"]))));
  });

  test("6.2 the headers of a delivery, and the webhook's own", async () => {
    const endpoint = receiver.addEndpoint();
    const headers = { "X-Team": "blue", Authorization: "Bearer of the receiver" };
    const webhook = await addWebhook(ada, endpoint.url, { headers });
    await addAgent(ada);
    const received = firstOf(await endpoint.waitFor(1));
    assert.equal(received.method, "POST");
    assert.equal(received.headers["content-type"], "application/json");
    assert.equal(received.headers["x-service-event"], "agent.created");
    assert.match(String(received.headers["x-service-signature"]), /^sha256=[0-9a-f]{64}$/);
    const ageSeconds = Date.now() / 1000 - Number(received.headers["x-service-timestamp"]);
    assert.ok(ageSeconds > -1 && ageSeconds < 60, `sent ${ageSeconds} s ago`);
    assert.deepEqual([received.headers["x-team"], received.headers.authorization], ["blue", headers.Authorization]);
    const delivery = await waitForStatus(ada, webhook, "delivered");
    assert.equal(received.headers["x-service-delivery"], delivery["id"]);
    assert.equal(received.headers["webhook-id"], envelopeOf(received).id);
  });

  test("6.2 one event has one id, whatever the number of webhooks; each delivery has its own", async () => {
    const endpoints = [receiver.addEndpoint(), receiver.addEndpoint()];
    for (const { url } of endpoints) await addWebhook(ada, url);
    await addAgent(ada);
    const received = await Promise.all(endpoints.map(async (one) => firstOf(await one.waitFor(1))));
    assert.equal(new Set(received.map((one) => envelopeOf(one).id)).size, 1);
    assert.equal(new Set(received.map(({ headers }) => headers["x-service-delivery"])).size, 2);
  });

  test("6.3 the signature is that of timestamp, dot and raw body, keyed with the secret", async () => {
    const endpoint = receiver.addEndpoint();
    const { secret } = await addWebhook(ada, endpoint.url);
    await addAgent(ada);
    const received = firstOf(await endpoint.waitFor(1));
    const signature = received.headers["x-service-signature"];
    assert.equal(signature, signatureOf(received, secret));
    assert.notEqual(signature, signatureOf({ ...received, body: `${received.body} ` }, secret));
    assert.notEqual(signature, signatureOf(received, `${secret}x`));
    assert.equal(received.headers["webhook-signature"], standardSignatureOf(received, secret));
    assert.equal(received.headers["webhook-timestamp"], received.headers["x-service-timestamp"]);
  });

  test("6.3 every attempt carries the same bytes and ids, with a timestamp and signature of its own", async () => {
    const endpoint = receiver.addEndpoint({ status: 500 }, { status: 500 }, {});
    const { secret } = await addWebhook(ada, endpoint.url);
    await addAgent(ada);
    const received = await endpoint.waitFor(3);
    const same = received.map(({ body, headers }) => [body, headers["x-service-delivery"], headers["webhook-id"]]);
    for (const one of same) assert.deepEqual(one, same[0]);
    for (const one of received) assert.equal(one.headers["x-service-signature"], signatureOf(one, secret));
    assert.ok(new Set(received.map(({ headers }) => headers["x-service-timestamp"])).size > 1);
  });

  const retried: [name: string, reply: Reply, statusCode: number | null, errorCode: string | null][] = [
    ["500", { status: 500, body: "oh" }, 500, null],
    ["502", { status: 502 }, 502, null],
    ["503", { status: 503 }, 503, null],
    ["599", { status: 599 }, 599, null],
    ["429", { status: 429 }, 429, null],
    ["a connection that is cut", { isCut: true }, null, "reset"],
    ["no answer in time", { isSilent: true }, null, "timeout"],
  ];
  for (const [name, reply, statusCode, errorCode] of retried) {
    test(`6.4 retried: ${name}`, async (t) => {
      // Of its own, because a kept connection that is cut under a request says nothing and is not held against anybody.
      const fresh = await startReceiver(service);
      t.after(() => fresh.stop());
      const endpoint = fresh.addEndpoint(reply, {});
      const webhook = await addWebhook(ada, endpoint.url, { timeout_ms: 1_500 });
      await addAgent(ada);
      const delivery = await waitForStatus(ada, webhook, "delivered");
      assert.deepEqual([delivery["attempts"], delivery["status_code"], delivery["next_retry_at"]], [2, 200, null]);
      const [first, second] = await listAttempts(ada, delivery);
      assert.deepEqual([first?.["attempt"], first?.["status_code"], first?.["error_code"]], [1, statusCode, errorCode]);
      assert.deepEqual([second?.["attempt"], second?.["status_code"], second?.["error_code"]], [2, 200, null]);
      const [before, again] = endpoint.received;
      assert.ok((again?.atMs ?? 0) - (before?.atMs ?? 0) >= 1_000, "the retry was early");
    });
  }

  test("6.4 retried: connection refused, until somebody listens", async () => {
    const unused = net.createServer().listen(0, "127.0.0.1");
    await once(unused, "listening");
    const { port } = unused.address() as net.AddressInfo;
    unused.close();
    await once(unused, "close");
    const webhook = await addWebhook(ada, `https://127.0.0.1:${port}/`, { retry_count: 1 });
    await addAgent(ada);
    const delivery = await waitForStatus(ada, webhook, "failed");
    assert.deepEqual([delivery["attempts"], delivery["status_code"], delivery["response_body"]], [2, null, null]);
    assert.deepEqual(
      (await listAttempts(ada, delivery)).map(({ error_code }) => error_code),
      ["connect_refused", "connect_refused"],
    );
  });

  for (const status of [300, 301, 308, 400, 401, 404, 408, 409, 422, 425]) {
    test(`6.4 not retried: ${status}`, async () => {
      const elsewhere = receiver.addEndpoint();
      const endpoint = receiver.addEndpoint({ status, headers: { location: elsewhere.url }, body: "no" });
      const webhook = await addWebhook(ada, endpoint.url);
      await addAgent(ada);
      const delivery = await waitForStatus(ada, webhook, "failed");
      assert.deepEqual([delivery["attempts"], delivery["status_code"], delivery["response_body"]], [1, status, "no"]);
      assert.deepEqual([delivery["next_retry_at"], delivery["delivered_at"]], [null, null]);
      assert.deepEqual([endpoint.received.length, elsewhere.received.length], [1, 0]);
    });
  }

  for (const status of [200, 201, 202, 204, 299]) {
    test(`6.4 delivered: ${status}`, async () => {
      const endpoint = receiver.addEndpoint({ status, body: "" });
      const webhook = await addWebhook(ada, endpoint.url);
      await addAgent(ada);
      const delivery = await waitForStatus(ada, webhook, "delivered");
      assert.deepEqual([delivery["attempts"], delivery["status_code"]], [1, status]);
    });
  }

  for (const retries of [0, 2]) {
    test(`6.4 retry_count ${retries}: failed after ${retries + 1} attempts, with nothing scheduled`, async () => {
      const endpoint = receiver.addEndpoint({ status: 500, body: "broken" });
      const webhook = await addWebhook(ada, endpoint.url, { retry_count: retries });
      await addAgent(ada);
      const delivery = await waitForStatus(ada, webhook, "failed");
      assert.deepEqual([delivery["attempts"], delivery["next_retry_at"]], [retries + 1, null]);
      assert.deepEqual([delivery["status_code"], delivery["response_body"]], [500, "broken"]);
      assert.equal(endpoint.received.length, retries + 1);
      assert.equal((await listAttempts(ada, delivery)).length, retries + 1);
    });
  }

  const asked: [status: number, retryAfter: string, expectedMs: number][] = [
    [503, "3600", HOUR_MS],
    [429, "3600", HOUR_MS],
    [429, new Date(Date.now() + HOUR_MS).toUTCString(), HOUR_MS],
    [503, "86400", 2 * HOUR_MS],
  ];
  for (const [status, retryAfter, expectedMs] of asked) {
    test(`6.4 ${status} with Retry-After: ${retryAfter} is scheduled for then, two hours at most`, async () => {
      const endpoint = receiver.addEndpoint({ status, headers: { "retry-after": retryAfter } });
      const webhook = await addWebhook(ada, endpoint.url);
      await addAgent(ada);
      const delivery = await waitForStatus(ada, webhook, "retrying");
      const waitMs = Date.parse(String(delivery["next_retry_at"])) - Date.now();
      assert.ok(Math.abs(waitMs - expectedMs) < 120_000, `in ${waitMs} ms`);
      assert.deepEqual([delivery["attempts"], delivery["status_code"], delivery["delivered_at"]], [1, status, null]);
    });
  }

  test("6.4 an endpoint that asks for patience is left alone, other endpoints are not", async () => {
    const busy = receiver.addEndpoint({ status: 429, headers: { "retry-after": "3600" } });
    const free = receiver.addEndpoint();
    const webhook = await addWebhook(ada, busy.url);
    await addWebhook(ada, free.url);
    await addAgent(ada, "First");
    await waitForStatus(ada, webhook, "retrying");
    await addAgent(ada, "Second");
    await free.waitFor(2);
    assert.deepEqual(
      (
        await eventually(
          () => listDeliveries(ada, webhook),
          ({ length }) => length === 2,
          "the second delivery",
        )
      ).map(({ status, attempts }) => [status, attempts]),
      [
        ["pending", 0],
        ["retrying", 1],
      ],
    );
    assert.equal(busy.received.length, 1);
  });

  test("6.4 410 fails and switches the webhook off, with the reason; switching it on takes the reason away", async () => {
    const endpoint = receiver.addEndpoint({ status: 410 });
    const webhook = await addWebhook(ada, endpoint.url);
    await addAgent(ada);
    const delivery = await waitForStatus(ada, webhook, "failed");
    assert.deepEqual([delivery["attempts"], delivery["status_code"]], [1, 410]);
    const readWebhook = async () => onlyRow(await ada.send(`GET /webhooks?id=eq.${webhook.id}`));
    const off = await readWebhook();
    assert.deepEqual([off["is_active"], off["disabled_reason"]], [false, "endpoint_gone"]);
    assert.notEqual(off["disabled_at"], null);
    await addAgent(ada);
    await change(ada, "webhooks", webhook.id, { is_active: true });
    const on = await readWebhook();
    assert.deepEqual([on["is_active"], on["disabled_reason"], on["disabled_at"]], [true, null, null]);
    assert.equal(endpoint.received.length, 1);
  });

  test("6.4 a response that is too large to keep still counts, and is kept as far as it goes", async () => {
    const endpoint = receiver.addEndpoint({ body: "x".repeat(1_000_000) });
    const webhook = await addWebhook(ada, endpoint.url);
    await addAgent(ada);
    const delivery = await waitForStatus(ada, webhook, "delivered");
    assert.equal(String(delivery["response_body"]).length, 65_536);
    assert.equal((await listAttempts(ada, delivery))[0]?.["response_truncated"], true);
  });

  test("6.4 a certificate must come from the local authority, from one in WEBHOOK_CA_FILE, or a public one", async (t) => {
    const { ca_cert_file: caFile } = service.credentials;
    const other = await startOwnService({ ...QUICK_RETRIES, WEBHOOK_CA_FILE: caFile ?? "" }, { isOnlyChild: true });
    t.after(() => other.stop());
    const stranger = await startReceiver(other);
    t.after(() => stranger.stop());
    const eve = await newPerson(other);
    const trials: [person: Person, endpoint: Endpoint, isTrusted: boolean][] = [
      [eve, receiver.addEndpoint(), true],
      [eve, stranger.addEndpoint(), true],
      [ada, stranger.addEndpoint(), false],
    ];
    for (const [person, endpoint, isTrusted] of trials) {
      const { id: webhook_id } = await addWebhook(person, endpoint.url);
      const { body } = await functionsOf(person)("test-webhook", { webhook_id, event_type: "agent.created" });
      assert.equal(body["success"], isTrusted, JSON.stringify(body));
      assert.equal(endpoint.received.length, isTrusted ? 1 : 0);
      const [attempt] = await listAttempts(person, { id: body["delivery_id"] });
      assert.equal(attempt?.["error_code"], isTrusted ? null : "tls");
    }
  });

  test("9 the version of the envelope is that of the webhook, a date, and stays", async () => {
    const endpoint = receiver.addEndpoint();
    const webhook = await addWebhook(ada, endpoint.url);
    await addAgent(ada);
    const { api_version } = envelopeOf(firstOf(await endpoint.waitFor(1)));
    assert.match(api_version, /^\d{4}-\d\d-\d\d$/);
    assert.equal(api_version, webhook["api_version"]);
    const body = { api_version: "1999-01-01" };
    assert.equal((await ada.send(`PATCH /webhooks?id=eq.${webhook.id}`, { body })).status, 400);
  });
});
