import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { NEEDS_RECEIVER } from "./support/given-service.ts";
import { newPerson, type Person } from "./support/people.ts";
import { type Receiver, startReceiver } from "./support/receiver.ts";
import { assertValidationBody } from "./support/api-errors.ts";
import { type Service, startService } from "./support/service.ts";
import { UNLIMITED } from "./support/settings.ts";
import { addAgent, addFailed, addWebhook, functionsOf, removeWebhooks, waitForStatus } from "./support/webhooks.ts";

let service: Service;
let receiver: Receiver;
let ada: Person;

describe("3.2 delivery status", { skip: NEEDS_RECEIVER }, () => {
  before(async () => {
    service = await startService(UNLIMITED);
    receiver = await startReceiver(service);
    ada = await newPerson(service);
  });
  after(async () => {
    await receiver?.stop();
    await service?.stop();
  });
  afterEach(() => removeWebhooks(ada));

  test("3.2 a delivery is pending before its first attempt, and retrying after a failed attempt with another scheduled", async () => {
    const endpoint = receiver.addEndpoint({ isSilent: true });
    const webhook = await addWebhook(ada, endpoint.url, { timeout_ms: 3_000 });
    await addAgent(ada);
    await endpoint.waitFor(1);
    const pending = await waitForStatus(ada, webhook, "pending");
    assert.deepEqual([pending["next_retry_at"], pending["delivered_at"], pending["status_code"]], [null, null, null]);
    const retrying = await waitForStatus(ada, webhook, "retrying");
    assert.deepEqual([retrying["id"], retrying["attempts"], retrying["delivered_at"]], [pending["id"], 1, null]);
    assert.ok(Date.parse(String(retrying["next_retry_at"])) > Date.now());
  });

  test("3.2 a delivery is delivered after a 2xx response and cannot be retried", async () => {
    const endpoint = receiver.addEndpoint();
    const webhook = await addWebhook(ada, endpoint.url);
    await addAgent(ada);
    const delivery = await waitForStatus(ada, webhook, "delivered");
    assert.ok(Number.isFinite(Date.parse(String(delivery["delivered_at"]))));
    const again = await functionsOf(ada)("webhook-dispatcher", { action: "retry", delivery_id: delivery["id"] });
    assertValidationBody(again, ["delivery_id"]);
    assert.equal(endpoint.received.length, 1);
  });

  test("3.2 a delivery is failed when all retries are used up, and a manual retry can still deliver it", async () => {
    const endpoint = receiver.addEndpoint();
    const { webhook, delivery } = await addFailed(ada, endpoint);
    assert.deepEqual([delivery["next_retry_at"], delivery["delivered_at"]], [null, null]);
    endpoint.answer({});
    const call = functionsOf(ada);
    assert.equal((await call("webhook-dispatcher", { action: "retry", delivery_id: delivery["id"] })).status, 200);
    const delivered = await waitForStatus(ada, webhook, "delivered");
    assert.equal(delivered["id"], delivery["id"]);
    assert.equal(delivered["attempts"], 2);
  });
});
