import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { NEEDS_OWN_SERVICE } from "./support/given-service.ts";
import { newPerson, type Person } from "./support/people.ts";
import { type Endpoint, type Receiver, startReceiver } from "./support/receiver.ts";
import { type Service, startOwnService, startService } from "./support/service.ts";
import { UNLIMITED } from "./support/settings.ts";
import { addAgent, addWebhook, functionsOf, listAttempts, removeWebhooks, waitForStatus } from "./support/webhooks.ts";

let shared: Service;
/** Uses its own authority, trusts that of the shared service, and retries after a second instead of hours. */
let service: Service;
let receiver: Receiver;
let ada: Person;

describe("6.4 attempts", { skip: NEEDS_OWN_SERVICE }, () => {
  before(async () => {
    shared = await startService(UNLIMITED);
    const settings = { WEBHOOK_RETRY_SCHEDULE: "0,1", WEBHOOK_CA_FILE: shared.credentials.ca_cert_file ?? "" };
    service = await startOwnService({ ...UNLIMITED, ...settings }, { isOnlyChild: true });
    receiver = await startReceiver(service);
    ada = await newPerson(service);
  });
  after(async () => {
    await receiver?.stop();
    await service?.stop();
    await shared?.stop();
  });
  afterEach(() => removeWebhooks(ada));

  test("6.4 a retry is made when it is due, and can succeed", async () => {
    const endpoint = receiver.addEndpoint({ status: 500 }, {});
    const webhook = await addWebhook(ada, endpoint.url);
    await addAgent(ada);
    const delivery = await waitForStatus(ada, webhook, "delivered");
    assert.deepEqual([delivery["attempts"], delivery["status_code"], delivery["next_retry_at"]], [2, 200, null]);
    assert.deepEqual(
      (await listAttempts(ada, delivery)).map(({ attempt, status_code }) => [attempt, status_code]),
      [
        [1, 500],
        [2, 200],
      ],
    );
    const [first, second] = endpoint.received;
    assert.ok((second?.atMs ?? 0) - (first?.atMs ?? 0) >= 1_000, "the retry was early");
  });

  test("6.4 retry_count 2: failed after three attempts, with nothing scheduled", async () => {
    const endpoint = receiver.addEndpoint({ status: 500, body: "broken" });
    const webhook = await addWebhook(ada, endpoint.url, { retry_count: 2 });
    await addAgent(ada);
    const delivery = await waitForStatus(ada, webhook, "failed");
    assert.deepEqual([delivery["attempts"], delivery["next_retry_at"]], [3, null]);
    assert.deepEqual([delivery["status_code"], delivery["response_body"]], [500, "broken"]);
    assert.equal(endpoint.received.length, 3);
    assert.equal((await listAttempts(ada, delivery)).length, 3);
  });

  test("6.4 an endpoint's certificate must be signed by the local authority, one in WEBHOOK_CA_FILE, or a public one", async (t) => {
    const elsewhere = await startReceiver(shared);
    t.after(() => elsewhere.stop());
    const bob = await newPerson(shared);
    t.after(() => removeWebhooks(bob));
    const trials: [person: Person, endpoint: Endpoint, isTrusted: boolean][] = [
      [ada, receiver.addEndpoint(), true],
      [ada, elsewhere.addEndpoint(), true],
      [bob, receiver.addEndpoint(), false],
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
});
