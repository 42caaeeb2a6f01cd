import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { NEEDS_RECEIVER } from "./support/given-service.ts";
import { newPerson, type Person } from "./support/people.ts";
import { firstOf, type Receiver, startReceiver } from "./support/receiver.ts";
import { add } from "./support/swarms.ts";
import { type Service, startService } from "./support/service.ts";
import { UNLIMITED } from "./support/settings.ts";
import { addAgent, addWebhook, envelopeOf, removeWebhooks, waitForStatus } from "./support/webhooks.ts";

let service: Service;
let receiver: Receiver;
let ada: Person;

describe("6.2 the delivery envelope", { skip: NEEDS_RECEIVER }, () => {
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

  test("6.2 the envelope of message.created has its members in the documented order", async () => {
    const endpoint = receiver.addEndpoint();
    const webhook = await addWebhook(ada, endpoint.url, { events: ["message.created"] });
    const swarm = await add(ada, "swarms", { name: "Room" });
    const startedAtMs = Date.now();
    const content = 'grüße 🐝 "quoted" \\ </script>\n\u2028';
    const message = await add(ada, "messages", { swarm_id: swarm, content });
    const received = firstOf(await endpoint.waitFor(1));
    const envelope = envelopeOf(received);
    assert.deepEqual(Object.keys(envelope), ["id", "type", "created_at", "api_version", "data"]);
    assert.match(envelope.id, /^evt_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.equal(envelope.type, "message.created");
    assert.match(envelope.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.ok(Math.abs(Date.parse(envelope.created_at) - startedAtMs) < 60_000);
    const { message_id, swarm_id, content: receivedChanges } = envelope.data;
    assert.deepEqual([message_id, swarm_id, receivedChanges], [message, swarm, content]);

    const delivery = await waitForStatus(ada, webhook, "delivered");
    assert.deepEqual(delivery["payload"], envelope);
    assert.deepEqual(
      [delivery["event_type"], delivery["status_code"], delivery["attempts"]],
      ["message.created", 200, 1],
    );
    assert.deepEqual([delivery["response_body"], delivery["next_retry_at"]], ["ok", null]);
    assert.ok(Number.isFinite(Date.parse(String(delivery["delivered_at"]))));
  });

  test("6.2 a delivery has the documented headers and those of the webhook", async () => {
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

  test("6.2 an event has the same id for every webhook; each delivery has its own id", async () => {
    const endpoints = [receiver.addEndpoint(), receiver.addEndpoint()];
    for (const { url } of endpoints) await addWebhook(ada, url);
    await addAgent(ada);
    const received = await Promise.all(endpoints.map(async (one) => firstOf(await one.waitFor(1))));
    assert.equal(new Set(received.map((one) => envelopeOf(one).id)).size, 1);
    assert.equal(new Set(received.map(({ headers }) => headers["x-service-delivery"])).size, 2);
  });
});
