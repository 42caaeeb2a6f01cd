import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { eventually } from "./support/eventually.ts";
import { NEEDS_RECEIVER } from "./support/given-service.ts";
import { newPerson, type Person } from "./support/people.ts";
import { firstOf, type Receiver, startReceiver } from "./support/receiver.ts";
import { type Service, startService } from "./support/service.ts";
import { UNLIMITED } from "./support/settings.ts";
import { signatureOf, standardSignatureOf } from "./support/signatures.ts";
import { addAgent, addFailed, addWebhook, functionsOf, removeWebhooks } from "./support/webhooks.ts";

let service: Service;
let receiver: Receiver;
let ada: Person;

describe("6.3 signing", { skip: NEEDS_RECEIVER }, () => {
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

  test("6.3 the signature is the HMAC of timestamp, dot and raw body, keyed with the secret", async () => {
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

  test("6.3 every attempt has the same bytes and ids, with its own timestamp and signature", async () => {
    const endpoint = receiver.addEndpoint();
    const { webhook, delivery } = await addFailed(ada, endpoint);
    const sentAt = Number(firstOf(endpoint.received).headers["x-service-timestamp"]);
    await eventually(
      () => Math.floor(Date.now() / 1000),
      (seconds) => seconds > sentAt,
      "another second",
    );
    endpoint.answer({});
    await functionsOf(ada)("webhook-dispatcher", { action: "retry", delivery_id: delivery["id"] });
    const received = await endpoint.waitFor(2);
    const same = received.map(({ body, headers }) => [body, headers["x-service-delivery"], headers["webhook-id"]]);
    assert.deepEqual(same[1], same[0]);
    for (const one of received) assert.equal(one.headers["x-service-signature"], signatureOf(one, webhook.secret));
    for (const name of ["x-service-timestamp", "x-service-signature"])
      assert.notEqual(received[1]?.headers[name], received[0]?.headers[name], name);
  });
});
