import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, afterEach, before, describe, test } from "node:test";
import { eventually } from "./support/eventually.ts";
import { NEEDS_RECEIVER } from "./support/given-service.ts";
import { newPerson, onlyRow, type Person } from "./support/people.ts";
import { type Receiver, startReceiver } from "./support/receiver.ts";
import { assertValidationBody, apiErrorOf } from "./support/api-errors.ts";
import { type Service, startService } from "./support/service.ts";
import { UNLIMITED } from "./support/settings.ts";
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
  waitForStatus,
} from "./support/webhooks.ts";

let service: Service;
let receiver: Receiver;
let ada: Person;
let bob: Person;
let call: CallFunction;
let callAsBob: CallFunction;

describe("4.3 deliveries made again", { skip: NEEDS_RECEIVER }, () => {
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

  test("4.3 retry: a failed delivery is sent again with the same id and bytes", async () => {
    const endpoint = receiver.addEndpoint();
    const { webhook, delivery } = await addFailed(ada, endpoint);
    endpoint.answer({ status: 201, body: "now" });
    const { status, body } = await call("webhook-dispatcher", { action: "retry", delivery_id: delivery["id"] });
    const { response_time_ms, ...rest } = body;
    assert.equal(status, 200);
    assert.ok(Number.isInteger(response_time_ms));
    const expected = { delivery_id: delivery["id"], status_code: 201, response_body: "now", attempts: 2 };
    assert.deepEqual(rest, { success: true, status: "delivered", ...expected });
    const [first, second] = endpoint.received;
    assert.deepEqual(
      [second?.body, second?.headers["x-service-delivery"]],
      [first?.body, first?.headers["x-service-delivery"]],
    );
    const retried = await waitForStatus(ada, webhook, "delivered");
    assert.deepEqual([retried["id"], retried["attempts"], retried["status_code"]], [delivery["id"], 2, 201]);
    assert.deepEqual(
      (await listAttempts(ada, delivery)).map(({ cause }) => cause),
      ["schedule", "manual"],
    );
  });

  test("4.3 retry: a retry that fails returns 502 DELIVERY_FAILED, and the delivery stays failed without a next attempt", async () => {
    const endpoint = receiver.addEndpoint();
    const { webhook, delivery } = await addFailed(ada, endpoint);
    const answer = await call("webhook-dispatcher", { action: "retry", delivery_id: delivery["id"] });
    const { status, code } = apiErrorOf(answer);
    assert.deepEqual([status, code], [502, "DELIVERY_FAILED"]);
    const { delivery_id, status_code, response_body, attempts } = answer.body;
    assert.deepEqual([delivery_id, status_code, response_body, attempts], [delivery["id"], 500, "broken", 2]);
    const [retried] = await listDeliveries(ada, webhook);
    assert.deepEqual([retried?.["status"], retried?.["attempts"], retried?.["next_retry_at"]], ["failed", 2, null]);
  });

  test("4.3 retry: invalid calls are rejected with their error codes", async () => {
    const endpoint = receiver.addEndpoint();
    const { webhook, delivery } = await addFailed(ada, endpoint);
    const body = { action: "retry", delivery_id: delivery["id"] };
    await assertCallRejected(callAsBob, ["webhook-dispatcher", body], [403, "FORBIDDEN"]);
    await assertCallRejected(
      call,
      ["webhook-dispatcher", { ...body, delivery_id: randomUUID() }],
      [404, "DELIVERY_NOT_FOUND"],
    );
    assertValidationBody(await call("webhook-dispatcher", { action: "retry" }), ["delivery_id"]);
    assertValidationBody(await call("webhook-dispatcher", { ...body, action: "explode" }), ["action"]);
    await switchWebhook(ada, webhook, false);
    await assertCallRejected(call, ["webhook-dispatcher", body], [403, "WEBHOOK_DISABLED"]);
    await switchWebhook(ada, webhook, true);
    endpoint.answer({});
    assert.equal((await call("webhook-dispatcher", body)).status, 200);
    assertValidationBody(await call("webhook-dispatcher", body), ["delivery_id"]);
  });

  test("4.3 beyond: replay sends an event as a new delivery with the same event id, also to another webhook", async () => {
    const endpoint = receiver.addEndpoint();
    const webhook = await addWebhook(ada, endpoint.url);
    await addAgent(ada);
    const [original] = await endpoint.waitFor(1);
    const { id: event_id } = JSON.parse(original?.body ?? "") as { id: string };
    const { status, body } = await call("webhook-dispatcher", { action: "replay", event_id });
    assert.equal(status, 200);
    const [again] = (await endpoint.waitFor(2)).slice(1);
    assert.equal(again?.body, original?.body);
    assert.notEqual(again?.headers["x-service-delivery"], original?.headers["x-service-delivery"]);
    const delivery_id = again?.headers["x-service-delivery"];
    assert.deepEqual(body["deliveries"], [{ delivery_id, webhook_id: webhook.id }]);

    const other = receiver.addEndpoint();
    const { id: webhook_id } = await addWebhook(ada, other.url, { events: ["tool.error"] });
    await call("webhook-dispatcher", { action: "replay", event_id, webhook_id });
    assert.equal((await other.waitFor(1))[0]?.body, original?.body);
    await assertCallRejected(
      callAsBob,
      ["webhook-dispatcher", { action: "replay", event_id }],
      [404, "DELIVERY_NOT_FOUND"],
    );
    await assertCallRejected(
      callAsBob,
      ["webhook-dispatcher", { action: "replay", event_id, webhook_id }],
      [403, "FORBIDDEN"],
    );
    assertValidationBody(await call("webhook-dispatcher", { action: "replay", event_id: "7" }), ["event_id"]);
  });

  test("4.3 beyond: recover_since sends all deliveries again that failed since a time, and reports its progress", async () => {
    const endpoint = receiver.addEndpoint();
    const { webhook } = await addFailed(ada, endpoint);
    for (const name of ["Second", "Third"]) await addAgent(ada, name);
    const readFailed = async () => (await listDeliveries(ada, webhook)).filter(({ status }) => status === "failed");
    await eventually(readFailed, ({ length }) => length === 3, "three failures");
    endpoint.answer({});
    const since = new Date(Date.now() - 60_000).toISOString();
    const body = { action: "recover_since", webhook_id: webhook.id, since };
    const begun = await call("webhook-dispatcher", body);
    assert.deepEqual([begun.status, begun.body["found"], begun.body["webhook_id"]], [202, 3, webhook.id]);
    const recovery_id = begun.body["id"];
    const ended = await eventually(
      async () => (await call("webhook-dispatcher", { action: "recovery", recovery_id })).body,
      ({ status }) => status === "completed",
      "the end of the recovery",
    );
    assert.deepEqual([ended["found"], ended["recovered"]], [3, 3]);
    assert.notEqual(ended["completed_at"], null);
    await eventually(readFailed, ({ length }) => length === 0, "no failures");
    assert.equal(new Set(endpoint.received.map(({ headers }) => headers["x-service-delivery"])).size, 3);
    const { id, recovered } = onlyRow(await ada.send(`GET /webhook_recoveries?webhook_id=eq.${webhook.id}`));
    assert.deepEqual([id, recovered], [recovery_id, 3]);

    assert.deepEqual((await bob.send("GET /webhook_recoveries")).rows, []);
    await assertCallRejected(
      callAsBob,
      ["webhook-dispatcher", { action: "recovery", recovery_id }],
      [404, "NOT_FOUND"],
    );
    await assertCallRejected(callAsBob, ["webhook-dispatcher", body], [403, "FORBIDDEN"]);
    await assertCallRejected(
      call,
      ["webhook-dispatcher", { ...body, webhook_id: randomUUID() }],
      [404, "WEBHOOK_NOT_FOUND"],
    );
    const later = new Date(Date.now() + 60_000).toISOString();
    assertValidationBody(await call("webhook-dispatcher", { ...body, since: later }), ["since"]);
    assertValidationBody(await call("webhook-dispatcher", { ...body, since: "yesterday" }), ["since"]);
    await switchWebhook(ada, webhook, false);
    await assertCallRejected(call, ["webhook-dispatcher", body], [403, "WEBHOOK_DISABLED"]);
  });
});
