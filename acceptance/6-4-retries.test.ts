import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { eventually } from "./support/eventually.ts";
import { findFreePort } from "./support/free-port.ts";
import { NEEDS_RECEIVER } from "./support/given-service.ts";
import { openMailbox } from "./support/mailbox.ts";
import { newPerson, onlyRow, type Person, type Row } from "./support/people.ts";
import { type ChangesFilter, disconnectAll, receiveChanges } from "./support/realtime.ts";
import { type Endpoint, type Receiver, type Reply, startReceiver } from "./support/receiver.ts";
import { change } from "./support/swarms.ts";
import { type Service, startService } from "./support/service.ts";
import { UNLIMITED } from "./support/settings.ts";
import {
  addAgent,
  addWebhook,
  listAttempts,
  listDeliveries,
  removeWebhooks,
  waitForStatus,
  type Webhook,
} from "./support/webhooks.ts";

const HOUR_MS = 3_600_000;
/** The second delay of the schedule with its jitter; attempts are recorded slightly later. */
const MINUTE = { leastMs: 59_000, mostMs: 66_000 };

/** The time between an attempt and the next one. */
async function readDelayMs(delivery: Row): Promise<number> {
  const attempt = (await listAttempts(ada, delivery)).at(-1);
  return Date.parse(String(delivery["next_retry_at"])) - Date.parse(String(attempt?.["created_at"]));
}

interface Sent {
  readonly webhook: Webhook;
  readonly endpoint: Endpoint;
}

/** Raises one event, for one webhook per reply. */
async function sendToAll(replies: readonly Reply[], row: Row = {}): Promise<Sent[]> {
  return sendTo(
    replies.map((reply) => receiver.addEndpoint(reply)),
    () => row,
  );
}

async function sendTo(endpoints: readonly Endpoint[], rowOf: (at: number) => Row): Promise<Sent[]> {
  const sent: Sent[] = [];
  for (const [at, endpoint] of endpoints.entries())
    sent.push({ endpoint, webhook: await addWebhook(ada, endpoint.url, rowOf(at)) });
  await addAgent(ada);
  return sent;
}

let service: Service;
let receiver: Receiver;
let ada: Person;

describe("6.4 retries", { skip: NEEDS_RECEIVER }, () => {
  before(async () => {
    service = await startService(UNLIMITED);
    receiver = await startReceiver(service);
    ada = await newPerson(service);
  });
  after(async () => {
    await disconnectAll();
    await receiver?.stop();
    await service?.stop();
  });
  afterEach(() => removeWebhooks(ada));

  test("6.4 5xx, 429, a dropped connection and a timeout are retried after a minute", async (t) => {
    const cases: [reply: Reply, statusCode: number | null, errorCode: string | null][] = [
      [{ status: 500, body: "oh" }, 500, null],
      [{ status: 502 }, 502, null],
      [{ status: 503 }, 503, null],
      [{ status: 599 }, 599, null],
      [{ status: 429 }, 429, null],
      [{ isCut: true }, null, "reset"],
      [{ isSilent: true }, null, "timeout"],
    ];
    // Uses a new connection, because a kept-alive connection that drops before anything is written is replaced without
    // an attempt.
    const fresh = await startReceiver(service);
    t.after(() => fresh.stop());
    const endpoints = cases.map(([reply]) => (reply.isCut === true ? fresh : receiver).addEndpoint(reply));
    // The silent endpoint has a short timeout; the others have the default.
    const sent = await sendTo(endpoints, (at) => ({ timeout_ms: cases[at]?.[0].isSilent === true ? 1_500 : 30_000 }));
    for (const [at, { webhook }] of sent.entries()) {
      const [, statusCode, errorCode] = cases[at] ?? [];
      const about = `${statusCode} ${errorCode}`;
      const delivery = await waitForStatus(ada, webhook, "retrying");
      assert.deepEqual([delivery["attempts"], delivery["delivered_at"]], [1, null], about);
      const [attempt] = await listAttempts(ada, delivery);
      const { status_code, error_code } = attempt ?? {};
      assert.deepEqual([delivery["status_code"], status_code, error_code], [statusCode, statusCode, errorCode], about);
      const delayMs = await readDelayMs(delivery);
      assert.ok(delayMs >= MINUTE.leastMs && delayMs <= MINUTE.mostMs, `${about}: ${delayMs} ms`);
    }
  });

  test("6.4 a refused connection is retried", async () => {
    const webhook = await addWebhook(ada, `https://127.0.0.1:${await findFreePort()}/`);
    await addAgent(ada);
    const delivery = await waitForStatus(ada, webhook, "retrying");
    assert.deepEqual([delivery["attempts"], delivery["status_code"], delivery["response_body"]], [1, null, null]);
    assert.equal((await listAttempts(ada, delivery))[0]?.["error_code"], "connect_refused");
  });

  test("6.4 3xx, which is not followed, and other 4xx are not retried", async () => {
    const elsewhere = receiver.addEndpoint();
    const statuses = [300, 301, 308, 400, 401, 404, 408, 409, 422, 425];
    const made = await sendToAll(
      statuses.map((status) => ({ status, headers: { location: elsewhere.url }, body: "no" })),
    );
    for (const [at, { webhook, endpoint }] of made.entries()) {
      const delivery = await waitForStatus(ada, webhook, "failed");
      const { attempts, status_code, response_body, next_retry_at, delivered_at } = delivery;
      assert.deepEqual(
        { attempts, status_code, response_body, next_retry_at, delivered_at },
        { attempts: 1, status_code: statuses[at], response_body: "no", next_retry_at: null, delivered_at: null },
      );
      assert.equal(endpoint.received.length, 1);
    }
    assert.equal(elsewhere.received.length, 0);
  });

  test("6.4 2xx is a success and not retried", async () => {
    const statuses = [200, 201, 202, 204, 299];
    const made = await sendToAll(statuses.map((status) => ({ status, body: "" })));
    for (const [at, { webhook }] of made.entries()) {
      const delivery = await waitForStatus(ada, webhook, "delivered");
      assert.deepEqual([delivery["attempts"], delivery["status_code"]], [1, statuses[at]]);
      assert.deepEqual([delivery["next_retry_at"], typeof delivery["delivered_at"]], [null, "string"]);
    }
  });

  test("6.4 a delivery without retries left is failed, with nothing scheduled", async () => {
    const [made] = await sendToAll([{ status: 500, body: "broken" }], { retry_count: 0 });
    assert.ok(made !== undefined);
    const delivery = await waitForStatus(ada, made.webhook, "failed");
    assert.deepEqual([delivery["attempts"], delivery["next_retry_at"]], [1, null]);
    assert.deepEqual([delivery["status_code"], delivery["response_body"]], [500, "broken"]);
  });

  test("6.4 429 and 503 with Retry-After are retried after that time, two hours at most", async () => {
    const asked: [status: number, retryAfter: string, expectedMs: number][] = [
      [503, "3600", HOUR_MS],
      [429, "3600", HOUR_MS],
      [429, new Date(Date.now() + HOUR_MS).toUTCString(), HOUR_MS],
      [503, "86400", 2 * HOUR_MS],
    ];
    const made = await sendToAll(
      asked.map(([status, retryAfter]) => ({ status, headers: { "retry-after": retryAfter } })),
    );
    for (const [at, { webhook }] of made.entries()) {
      const [status, retryAfter, expectedMs = 0] = asked[at] ?? [];
      const delivery = await waitForStatus(ada, webhook, "retrying");
      const waitMs = Date.parse(String(delivery["next_retry_at"])) - Date.now();
      assert.ok(Math.abs(waitMs - expectedMs) < 120_000, `${retryAfter}: in ${waitMs} ms`);
      assert.deepEqual([delivery["attempts"], delivery["status_code"], delivery["delivered_at"]], [1, status, null]);
    }
  });

  test("6.4 Retry-After pauses all deliveries to that endpoint, and none to other endpoints", async () => {
    const busy = receiver.addEndpoint({ status: 429, headers: { "retry-after": "3600" } });
    const free = receiver.addEndpoint();
    const webhook = await addWebhook(ada, busy.url);
    await addWebhook(ada, free.url);
    await addAgent(ada, "First");
    await waitForStatus(ada, webhook, "retrying");
    await addAgent(ada, "Second");
    await free.waitFor(2);
    const deliveries = await eventually(
      () => listDeliveries(ada, webhook),
      ({ length }) => length === 2,
      "the second delivery",
    );
    assert.deepEqual(
      deliveries.map(({ status, attempts }) => [status, attempts]),
      [
        ["pending", 0],
        ["retrying", 1],
      ],
    );
    assert.equal(busy.received.length, 1);
  });

  test("6.4 410 fails the delivery and disables the webhook with a reason; enabling it clears the reason", async () => {
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

  test("6.4 the owner is notified over realtime and by mail when a webhook is disabled", async (t) => {
    const eve = await newPerson(service);
    const endpoint = receiver.addEndpoint({ status: 410 });
    const webhook = await addWebhook(eve, endpoint.url, { name: "Orders" });
    const expected: ChangesFilter = {
      event: "UPDATE",
      schema: "public",
      table: "webhooks",
      filter: `id=eq.${webhook.id}`,
    };
    const receivedChanges = await receiveChanges(t, eve.client, expected);
    await addAgent(eve);
    const [change] = await receivedChanges.waitFor(1);
    const { is_active: isActive, disabled_reason: reason, disabled_at: disabledAt } = change?.new ?? {};
    assert.deepEqual([isActive, reason], [false, "endpoint_gone"]);
    const [row] = (await eve.send(`GET /webhooks?id=eq.${webhook.id}`)).rows;
    assert.equal(Date.parse(String(disabledAt)), Date.parse(String(row?.["disabled_at"])));
    if (service.dataDir === null) return;
    const mail = await openMailbox(service).take(eve.email);
    assert.equal(mail.subject, "A webhook was switched off");
    assert.match(mail.text, /"Orders" was switched off at .* UTC: its endpoint answered 410 Gone/);
  });

  test("6.4 a response body beyond the limit is truncated, and its status still counts", async () => {
    const endpoint = receiver.addEndpoint({ body: "x".repeat(1_000_000) });
    const webhook = await addWebhook(ada, endpoint.url);
    await addAgent(ada);
    const delivery = await waitForStatus(ada, webhook, "delivered");
    assert.equal(String(delivery["response_body"]).length, 65_536);
    assert.equal((await listAttempts(ada, delivery))[0]?.["response_truncated"], true);
  });
});
