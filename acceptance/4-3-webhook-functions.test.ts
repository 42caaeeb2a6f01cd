import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, afterEach, before, describe, test } from "node:test";
import { ok } from "./support/clients.ts";
import { NEEDS_RECEIVER } from "./support/given-service.ts";
import { newPerson, onlyRow, openSend, openServiceRole, type Person, type Row } from "./support/people.ts";
import { type Receiver, startReceiver } from "./support/receiver.ts";
import { assertValidationBody, apiErrorOf } from "./support/api-errors.ts";
import { type Service, startService } from "./support/service.ts";
import { UNLIMITED } from "./support/settings.ts";
import { signatureOf, standardSignatureOf } from "./support/signatures.ts";
import {
  addAgent,
  addFailed,
  addWebhook,
  assertCallRejected,
  type CallFunction,
  functionsOf,
  listAttempts,
  listDeliveries,
  removeWebhooks,
  switchWebhook,
} from "./support/webhooks.ts";

const DAY_SECONDS = 86_400;

let service: Service;
let receiver: Receiver;
let ada: Person;
let bob: Person;
let call: CallFunction;
let callAsBob: CallFunction;

describe("4.3 functions of webhooks", { skip: NEEDS_RECEIVER }, () => {
  before(async () => {
    service = await startService(UNLIMITED);
    receiver = await startReceiver(service);
    [ada, bob] = [await newPerson(service), await newPerson(service)];
    [call, callAsBob] = [functionsOf(ada), functionsOf(bob)];
  });
  after(async () => {
    await receiver?.stop();
    await service?.stop();
  });
  afterEach(() => removeWebhooks(ada, bob));

  test("4.3 test: sends one signed sample, returns the response and records it", async () => {
    const endpoint = receiver.addEndpoint({ status: 202, body: "thanks" });
    const webhook = await addWebhook(ada, endpoint.url, { headers: { "X-Team": "blue" } });
    const { status, body } = await call("test-webhook", { webhook_id: webhook.id, event_type: "message.created" });
    assert.equal(status, 200);
    const { delivery_id, response_time_ms, ...rest } = body;
    assert.deepEqual(rest, { success: true, status_code: 202, response_body: "thanks" });
    assert.ok(Number.isInteger(response_time_ms) && Number(response_time_ms) >= 0);

    const [received] = endpoint.received;
    assert.ok(received !== undefined && endpoint.received.length === 1);
    assert.equal(received.headers["x-service-signature"], signatureOf(received, webhook.secret));
    assert.equal(received.headers["x-service-delivery"], delivery_id);
    assert.deepEqual([received.headers["x-service-event"], received.headers["x-team"]], ["message.created", "blue"]);
    const envelope = JSON.parse(received.body) as { type: string; data: Row };
    assert.deepEqual([envelope.type, envelope.data["test"]], ["message.created", true]);
    for (const field of ["message_id", "swarm_id", "content"]) assert.equal(typeof envelope.data[field], "string");

    const delivery = onlyRow(await ada.send(`GET /webhook_deliveries?id=eq.${String(delivery_id)}`));
    assert.deepEqual([delivery["status"], delivery["attempts"], delivery["payload"]], ["delivered", 1, envelope]);
    assert.equal((await listAttempts(ada, delivery))[0]?.["cause"], "test");
  });

  test("4.3 test: an endpoint error is reported in a 200 response, with one attempt and no retry", async () => {
    const endpoint = receiver.addEndpoint({ status: 500, body: "broken" });
    const webhook = await addWebhook(ada, endpoint.url);
    const { data, error } = await ada.client.functions.invoke<Row>("test-webhook", {
      body: { webhook_id: webhook.id, event_type: "agent.created" },
    });
    assert.equal(error, null);
    assert.deepEqual([data?.["success"], data?.["code"]], [false, "DELIVERY_FAILED"]);
    assert.deepEqual([data?.["status_code"], data?.["response_body"]], [500, "broken"]);
    const [delivery] = await listDeliveries(ada, webhook);
    assert.deepEqual([delivery?.["id"], delivery?.["status"]], [data?.["delivery_id"], "failed"]);
    assert.deepEqual([delivery?.["attempts"], delivery?.["next_retry_at"]], [1, null]);
  });

  test("4.3 test: an endpoint that does not respond in time is reported in the response", async () => {
    const endpoint = receiver.addEndpoint({ isSilent: true });
    const webhook = await addWebhook(ada, endpoint.url, { timeout_ms: 200 });
    const { status, body } = await call("test-webhook", { webhook_id: webhook.id, event_type: "agent.created" });
    assert.deepEqual([status, body["success"], body["code"]], [200, false, "DELIVERY_FAILED"]);
    assert.deepEqual([body["status_code"], body["response_body"]], [null, null]);
    // Timers count from the beginning of the current turn of the event loop, so the time can be a little less than 200 ms.
    assert.ok(Number(body["response_time_ms"]) >= 100);
    assert.notEqual(body["error"], null);
  });

  test("4.3 test: a 410 response to a test does not disable the webhook", async () => {
    const endpoint = receiver.addEndpoint({ status: 410 });
    const webhook = await addWebhook(ada, endpoint.url);
    const { body } = await call("test-webhook", { webhook_id: webhook.id, event_type: "agent.created" });
    assert.deepEqual([body["success"], body["status_code"]], [false, 410]);
    assert.equal(onlyRow(await ada.send(`GET /webhooks?id=eq.${webhook.id}`))["is_active"], true);
  });

  test("4.3 test: invalid calls are rejected with their error codes", async () => {
    const webhook = await addWebhook(ada, receiver.addEndpoint().url);
    const body = { webhook_id: webhook.id, event_type: "agent.created" };
    await assertCallRejected(
      call,
      ["test-webhook", { ...body, event_type: "agent.exploded" }],
      [400, "INVALID_EVENTS"],
    );
    await assertCallRejected(callAsBob, ["test-webhook", body], [403, "FORBIDDEN"]);
    await assertCallRejected(call, ["test-webhook", { ...body, webhook_id: randomUUID() }], [404, "WEBHOOK_NOT_FOUND"]);
    assertValidationBody(await call("test-webhook", {}), ["webhook_id", "event_type"]);
    assertValidationBody(await call("test-webhook", { ...body, webhook_id: "7" }), ["webhook_id"]);
    await switchWebhook(ada, webhook, false);
    await assertCallRejected(call, ["test-webhook", body], [403, "WEBHOOK_DISABLED"]);
    assert.deepEqual(await listDeliveries(ada, webhook), []);
  });

  test("4.3 all webhook functions require a signed-in user and a JSON body", async () => {
    const { anon_key } = service.credentials;
    for (const name of ["test-webhook", "webhooks", "webhook-dispatcher", "agent-respond"]) {
      const line = `POST /functions/v1/${name}`;
      assert.equal((await ada.send(line, { body: {}, headers: { authorization: undefined } })).status, 401);
      assert.equal((await ada.send(line, { body: {}, headers: { apikey: undefined } })).status, 401);
      const asAnon = await openSend(service, { token: anon_key })(line, { body: {} });
      assert.ok([401, 403].includes(asAnon.status), asAnon.text);
      assert.equal((await ada.send(line, { body: "{}", headers: { "content-type": undefined } })).status, 415);
      assert.equal((await ada.send(line, { body: "{" })).status, 400);
      assertValidationBody(await ada.send(line, { body: [] }), ["body"]);
    }
  });

  test("4.3 regenerate secret: the new secret signs, and the old one signs too for a day", async () => {
    const endpoint = receiver.addEndpoint();
    const webhook = await addWebhook(ada, endpoint.url);
    const { status, body } = await call("webhooks", { action: "regenerate_secret", webhook_id: webhook.id });
    assert.equal(status, 200);
    const secret = String(body["new_secret"]);
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.notEqual(secret, webhook.secret);
    const leftSeconds = (Date.parse(String(body["previous_secret_expires_at"])) - Date.now()) / 1000;
    assert.ok(Math.abs(leftSeconds - DAY_SECONDS) < 60, `${leftSeconds} s`);
    assert.equal(onlyRow(await ada.send(`GET /webhooks?id=eq.${webhook.id}`))["secret"], secret);

    await addAgent(ada);
    const [received] = await endpoint.waitFor(1);
    assert.ok(received !== undefined);
    assert.equal(received.headers["x-service-signature"], signatureOf(received, secret));
    assert.equal(received.headers["x-service-signature-previous"], signatureOf(received, webhook.secret));
    assert.equal(
      received.headers["webhook-signature"],
      [secret, webhook.secret].map((key) => standardSignatureOf(received, key)).join(" "),
    );
  });

  test("4.3 regenerate secret: with a grace period of 0 the old secret stops signing at once", async () => {
    const endpoint = receiver.addEndpoint();
    const webhook = await addWebhook(ada, endpoint.url);
    await call("webhooks", { action: "regenerate_secret", webhook_id: webhook.id });
    const { body } = await call("webhooks", {
      action: "regenerate_secret",
      webhook_id: webhook.id,
      grace_period_seconds: 0,
    });
    assert.equal(body["previous_secret_expires_at"], null);
    await addAgent(ada);
    const [received] = await endpoint.waitFor(1);
    assert.ok(received !== undefined);
    assert.equal(received.headers["x-service-signature"], signatureOf(received, String(body["new_secret"])));
    assert.equal(received.headers["x-service-signature-previous"], undefined);
    assert.equal(String(received.headers["webhook-signature"]).split(" ").length, 1);
  });

  test("4.3 regenerate secret: unknown members of the body are listed in warnings, on success and on error", async () => {
    const webhook = await addWebhook(ada, receiver.addEndpoint().url);
    const body = { action: "regenerate_secret", webhook_id: webhook.id };
    const warned = await call("webhooks", { ...body, grace_period: 0 });
    assert.equal(warned.status, 200, warned.text);
    assert.deepEqual(warned.body["warnings"], [
      "Unknown member `grace_period`; perhaps you meant `grace_period_seconds`.",
    ]);
    assert.notEqual(warned.body["previous_secret_expires_at"], null, "what is not known has no effect");
    assert.ok(!("warnings" in (await call("webhooks", body)).body));
    const rejected = await call("webhooks", { action: "regenerate_secret", webhookId: webhook.id });
    assertValidationBody(rejected, ["webhook_id"]);
    assert.deepEqual(rejected.body["warnings"], ["Unknown member `webhookId`; perhaps you meant `webhook_id`."]);
  });

  test("4.3 regenerate secret: invalid calls are rejected, and a disabled webhook is accepted", async () => {
    const webhook = await addWebhook(ada, receiver.addEndpoint().url, { is_active: false });
    const body = { action: "regenerate_secret", webhook_id: webhook.id };
    await assertCallRejected(callAsBob, ["webhooks", body], [403, "FORBIDDEN"]);
    await assertCallRejected(call, ["webhooks", { ...body, webhook_id: randomUUID() }], [404, "WEBHOOK_NOT_FOUND"]);
    assertValidationBody(await call("webhooks", { ...body, action: "explode" }), ["action"]);
    for (const grace_period_seconds of [-1, 1.5, 604_801]) {
      assertValidationBody(await call("webhooks", { ...body, grace_period_seconds }), ["grace_period_seconds"]);
    }
    assert.equal((await call("webhooks", body)).status, 200);
  });

  test("4.3 previous secrets: the owner can read when each expires and revoke them at once", async () => {
    const endpoint = receiver.addEndpoint();
    const webhook = await addWebhook(ada, endpoint.url);
    const body = { action: "regenerate_secret", webhook_id: webhook.id };
    await call("webhooks", body);
    const { body: last } = await call("webhooks", { ...body, grace_period_seconds: 3_600 });
    const path = `GET /webhook_previous_secrets?webhook_id=eq.${webhook.id}&order=created_at`;
    const { rows } = await ada.send(path);
    assert.equal(rows.length, 2);
    for (const row of rows)
      assert.deepEqual(Object.keys(row).toSorted(), ["created_at", "expires_at", "id", "webhook_id"]);
    assert.equal(
      Date.parse(String(rows[1]?.["expires_at"])),
      Date.parse(String(last["previous_secret_expires_at"])),
      "until when the one that was replaced last signs",
    );
    assert.deepEqual((await bob.send(path)).rows, []);

    const revoke = { action: "revoke_previous_secrets", webhook_id: webhook.id };
    await assertCallRejected(callAsBob, ["webhooks", revoke], [403, "FORBIDDEN"]);
    await assertCallRejected(call, ["webhooks", { ...revoke, webhook_id: randomUUID() }], [404, "WEBHOOK_NOT_FOUND"]);
    const { status, body: revoked } = await call("webhooks", revoke);
    assert.deepEqual([status, revoked], [200, { revoked: 2 }]);
    assert.deepEqual((await call("webhooks", revoke)).body, { revoked: 0 });
    assert.deepEqual((await ada.send(path)).rows, []);
    await addAgent(ada);
    const [received] = await endpoint.waitFor(1);
    assert.ok(received !== undefined);
    assert.equal(received.headers["x-service-signature"], signatureOf(received, String(last["new_secret"])));
    assert.equal(received.headers["x-service-signature-previous"], undefined);
  });

  test("4.3 health: webhook_health counts attempts and waiting deliveries, for the owner only", async () => {
    const { webhook } = await addFailed(ada, receiver.addEndpoint());
    const read = async (person: Person) =>
      (await person.send("POST /rpc/webhook_health", { body: { webhook_id: webhook.id, hours: 1 } })).rows;
    const [health] = await read(ada);
    const { attempts, delivered, failed, success_rate: rate, pending, retrying } = health ?? {};
    assert.deepEqual([attempts, delivered, failed, rate, pending, retrying], [1, 0, 1, 0, 0, 0]);
    assert.deepEqual(await read(bob), []);
    const { data } = await ada.client.rpc("webhook_health", { webhook_id: webhook.id });
    assert.equal((data as Row[])[0]?.["webhook_id"], webhook.id);
  });

  test("4.3 list deliveries: only the owner can read deliveries and attempts, and no user can write them", async () => {
    const { webhook, delivery } = await addFailed(ada, receiver.addEndpoint());
    assert.equal((await listDeliveries(ada, webhook)).length, 1);
    const [attempt] = await listAttempts(ada, delivery);
    assert.deepEqual(
      [
        attempt?.["attempt"],
        attempt?.["cause"],
        attempt?.["url"],
        attempt?.["status_code"],
        attempt?.["response_body"],
      ],
      [1, "schedule", webhook["url"], 500, "broken"],
    );
    assert.ok(Number.isInteger(attempt?.["response_time_ms"]));
    assert.deepEqual([await listDeliveries(bob, webhook), await listAttempts(bob, delivery)], [[], []]);
    const changes = [
      await ada.send(`PATCH /webhook_delivery_attempts?delivery_id=eq.${String(delivery["id"])}`, {
        body: { attempt: 7 },
      }),
      await ada.send(`DELETE /webhook_delivery_attempts?delivery_id=eq.${String(delivery["id"])}`),
    ];
    for (const answer of changes) assert.equal(apiErrorOf(answer).status, 403);
  });

  test("4.3 no input to a webhook function causes a 5xx error", async () => {
    const { id: webhook_id } = await addWebhook(ada, receiver.addEndpoint().url);
    const nil = "00000000-0000-0000-0000-000000000000";
    const odd: readonly unknown[] = [
      null,
      7,
      "",
      "\0",
      "\ud800",
      nil,
      "x".repeat(10_000),
      [],
      [webhook_id],
      {},
      { toString: 1 },
      1e308,
      true,
    ];
    const times = [
      "0000-01-01T00:00:00Z",
      "0001-01-01T00:00:00+14:00",
      "9999-12-31T23:59:59.999999Z",
      "2026-02-30T00:00:00Z",
    ];
    const bodies: [name: string, body: unknown][] = [
      ...odd.flatMap((value): [string, unknown][] => [
        ["test-webhook", { webhook_id: value, event_type: "agent.created" }],
        ["test-webhook", { webhook_id, event_type: value }],
        ["webhooks", { action: value, webhook_id }],
        ["webhooks", { action: "regenerate_secret", webhook_id: value }],
        ["webhooks", { action: "regenerate_secret", webhook_id, grace_period_seconds: value }],
        ["webhook-dispatcher", { action: value }],
        ["webhook-dispatcher", { action: "retry", delivery_id: value }],
        ["webhook-dispatcher", { action: "replay", event_id: value }],
        ["webhook-dispatcher", { action: "replay", event_id: nil, webhook_id: value }],
        ["webhook-dispatcher", { action: "recover_since", webhook_id: value, since: "2026-01-01T00:00:00Z" }],
        ["webhook-dispatcher", { action: "recover_since", webhook_id, since: value }],
        ["webhook-dispatcher", { action: "recovery", recovery_id: value }],
      ]),
      ...times.map((since): [string, unknown] => [
        "webhook-dispatcher",
        { action: "recover_since", webhook_id, since },
      ]),
    ];
    for (const [name, body] of bodies) {
      const answer = await call(name, body);
      const isFine = answer.status < 300 || (apiErrorOf(answer).status < 500 && answer.status >= 400);
      assert.ok(isFine, `${name} ${JSON.stringify(body).slice(0, 200)}: ${answer.text}`);
    }
  });

  test("4.3 the service role can call the webhook functions for any user and read all deliveries", async () => {
    const endpoint = receiver.addEndpoint();
    const webhook = await addWebhook(ada, endpoint.url);
    const tested = await functionsOf(openServiceRole(service))("test-webhook", {
      webhook_id: webhook.id,
      event_type: "agent.created",
    });
    assert.equal(tested.body["success"], true, tested.text);
    const { client } = openServiceRole(service);
    const rows = ok(await client.from("webhook_deliveries").select("id").eq("webhook_id", webhook.id)) as Row[];
    assert.deepEqual(rows, [{ id: tested.body["delivery_id"] }]);
    const changed = await functionsOf(openServiceRole(service))("webhooks", {
      action: "regenerate_secret",
      webhook_id: webhook.id,
    });
    assert.equal(changed.status, 200, changed.text);
  });
});
