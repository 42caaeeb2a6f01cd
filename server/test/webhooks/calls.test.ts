import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { EVENT_TYPES, isEventOf, verifyWebhook } from "@swarmbase/sdk";
import type { WebhookModule } from "../../src/webhooks/index.ts";
import { type Receiver, startReceiver } from "./support/receiver.ts";
import { openStage, type Stage } from "./support/stage.ts";
import { until } from "../support/until.ts";

let stage: Stage;
let receiver: Receiver;
let webhooks: WebhookModule;
let owner: string;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  const cleanup = { after: (close: () => Promise<void>) => void closers.push(close) };
  stage = await openStage(cleanup);
  receiver = await startReceiver(cleanup);
  webhooks = stage.open({ listens: false }).webhooks;
  owner = await stage.newUser();
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

const lastRequest = () => {
  const request = receiver.received.at(-1);
  assert.ok(request);
  return request;
};
const deliveryRow = async (id: string) =>
  (await stage.rows<Record<string, unknown>>("select * from public.webhook_deliveries where id = $1", [id]))[0];
const code = (expected: string) => (error: unknown) => (error as { code?: string }).code === expected;

describe("test_webhook", () => {
  test("a test sends a signed sample and returns the response", async () => {
    receiver.answer = () => ({ status: 201, body: "hello" });
    const webhook = await stage.newWebhook(owner, receiver.url);
    const attempt = await webhooks.testWebhook({ callerId: owner, webhookId: webhook, eventType: "message.created" });
    assert.equal(attempt.isDelivered, true);
    assert.equal(attempt.statusCode, 201);
    assert.equal(attempt.responseBody, "hello");
    assert.ok(attempt.responseTimeMs >= 0);
    const [{ secret } = { secret: "" }] = await stage.rows<{ secret: string }>(
      "select secret from public.webhooks where id = $1",
      [webhook],
    );
    const { body, headers } = lastRequest();
    const envelope = await verifyWebhook(body, headers, secret);
    assert.ok(isEventOf(envelope, "message.created"));
    assert.equal(envelope.data.test, true);
    assert.equal(typeof envelope.data.message_id, "string");
    assert.deepEqual(envelope.data.actor, { type: "user", id: owner });
    assert.ok(Math.abs(Date.parse(envelope.data.created_at) - Date.parse(envelope.created_at)) < 60_000);
    const row = await deliveryRow(attempt.deliveryId);
    assert.equal(row?.["status"], "delivered");
    assert.equal(row?.["attempts"], 1);
    const [logged] = await stage.rows<{ cause: string }>(
      "select cause from public.webhook_delivery_attempts where delivery_id = $1",
      [attempt.deliveryId],
    );
    assert.equal(logged?.cause, "test");
  });

  test("a test has a sample of every event type", async () => {
    receiver.answer = () => ({});
    const webhook = await stage.newWebhook(owner, receiver.url);
    for (const eventType of EVENT_TYPES) {
      await webhooks.testWebhook({ callerId: owner, webhookId: webhook, eventType });
      assert.equal((JSON.parse(lastRequest().body) as { type: string }).type, eventType);
    }
  });

  test("a failed test is not retried and does not count against the webhook", async () => {
    receiver.answer = () => ({ status: 410 });
    const webhook = await stage.newWebhook(owner, receiver.url);
    const attempt = await webhooks.testWebhook({ callerId: owner, webhookId: webhook, eventType: "agent.created" });
    assert.equal(attempt.isDelivered, false);
    assert.equal(attempt.statusCode, 410);
    assert.equal((await deliveryRow(attempt.deliveryId))?.["status"], "failed");
    const [state] = await stage.rows<Record<string, unknown>>(
      `select w.is_active, queue.failed_in_a_row, (select count(*)::integer from private.webhook_queue where webhook_id = w.id) as queued
       from public.webhooks w join private.webhook_endpoint_queues queue on queue.webhook_id = w.id where w.id = $1`,
      [webhook],
    );
    assert.deepEqual(state, { is_active: true, failed_in_a_row: 0, queued: 0 });
  });

  test("further attempts of a failed test, and replays of its event, are tests as well", async (t) => {
    receiver.answer = () => ({ status: 503 });
    const user = await stage.newUser();
    const webhook = await stage.newWebhook(user, receiver.url);
    const node = stage.start(t, { times: { recoveryPollMs: 50 } });
    const test = { callerId: user, webhookId: webhook, eventType: "agent.created" };
    const { deliveryId } = await node.webhooks.testWebhook(test);
    await node.webhooks.retryDelivery({ callerId: user, deliveryId });
    receiver.answer = () => ({});
    await node.webhooks.recoverSince({ callerId: user, webhookId: webhook, since: new Date(Date.now() - 3_600_000) });
    await until(async () => (await deliveryRow(deliveryId))?.["status"] === "delivered", "the test is delivered");
    const eventId = String((await deliveryRow(deliveryId))?.["event_id"]);
    const [replayed] = await node.webhooks.replay({ callerId: user, eventId });
    const replayId = replayed?.delivery_id ?? "";
    await until(async () => (await deliveryRow(replayId))?.["status"] === "delivered", "the replay is delivered");
    await node.stop();
    const attempts = await stage.rows<{ attempt: number; cause: string }>(
      "select attempt, cause from public.webhook_delivery_attempts where webhook_id = $1 order by created_at",
      [webhook],
    );
    assert.deepEqual(
      attempts.map(({ attempt, cause }) => `${attempt} ${cause}`),
      ["1 test", "2 test", "3 test", "1 test"],
    );
  });

  test("a test of an unreachable endpoint returns the error", async () => {
    const webhook = await stage.newWebhook(owner, "https://127.0.0.1:9/");
    const attempt = await webhooks.testWebhook({ callerId: owner, webhookId: webhook, eventType: "agent.created" });
    assert.equal(attempt.isDelivered, false);
    assert.equal(attempt.statusCode, null);
    assert.equal(attempt.responseBody, null);
    assert.ok(attempt.error);
  });

  test("a test is rejected for a foreign, missing or disabled webhook or an unknown event type", async () => {
    const webhook = await stage.newWebhook(owner, receiver.url);
    const off = await stage.newWebhook(owner, receiver.url, { is_active: false });
    const ask = (webhookId: string, callerId: string | null, eventType = "agent.created") =>
      webhooks.testWebhook({ callerId, webhookId, eventType });
    await assert.rejects(ask(randomUUID(), owner), code("WEBHOOK_NOT_FOUND"));
    await assert.rejects(ask(webhook, await stage.newUser()), code("FORBIDDEN"));
    await assert.rejects(ask(off, owner), code("WEBHOOK_DISABLED"));
    await assert.rejects(ask(webhook, owner, "agent.exploded"), code("INVALID_EVENTS"));
    receiver.answer = () => ({});
    assert.equal((await ask(webhook, null)).isDelivered, true, "the service role may");
  });

  test("the dispatcher makes a test after the process that started it died", async (t) => {
    receiver.answer = () => ({});
    const webhook = await stage.newWebhook(owner, receiver.url);
    const broken = stage.open({
      outbound: { post: () => new Promise(() => {}), close: async () => {}, size: { origins: 0, connections: 0 } },
    });
    void broken.webhooks.testWebhook({ callerId: owner, webhookId: webhook, eventType: "agent.created" });
    await until(
      async () =>
        (await stage.rows("select 1 from private.webhook_queue where webhook_id = $1", [webhook])).length === 1,
      "the test is on record",
    );
    await stage.sql.query("update private.webhook_queue set run_at = now() where webhook_id = $1", [webhook]);
    await stage.sql.query("update private.webhook_endpoint_queues set next_due_at = now() where webhook_id = $1", [
      webhook,
    ]);
    const node = stage.start(t);
    await until(
      async () =>
        (
          await stage.rows(
            "select 1 from public.webhook_deliveries where webhook_id = $1 and status = 'delivered' and attempts = 1",
            [webhook],
          )
        ).length === 1,
      "it was made",
    );
    await node.stop();
  });
});

async function failedDelivery(more: Record<string, unknown> = {}): Promise<{ webhook: string; delivery: string }> {
  receiver.answer = () => ({ status: 400 });
  const webhook = await stage.newWebhook(owner, receiver.url, more);
  const { deliveryId } = await webhooks.testWebhook({
    callerId: owner,
    webhookId: webhook,
    eventType: "agent.created",
  });
  return { webhook, delivery: deliveryId };
}

describe("retry_delivery", () => {
  test("a manual retry sends a failed delivery again with the same body and id", async () => {
    const { delivery } = await failedDelivery();
    const first = lastRequest();
    receiver.answer = () => ({ status: 200, body: "now" });
    const attempt = await webhooks.retryDelivery({ callerId: owner, deliveryId: delivery });
    assert.deepEqual(
      { ...attempt, responseTimeMs: 0 },
      {
        deliveryId: delivery,
        isDelivered: true,
        status: "delivered",
        statusCode: 200,
        responseTimeMs: 0,
        responseBody: "now",
        error: null,
        attempts: 2,
      },
    );
    assert.equal(lastRequest().body, first.body);
    assert.equal(lastRequest().headers["x-service-delivery"], delivery);
    assert.equal((await deliveryRow(delivery))?.["status"], "delivered");
    await assert.rejects(webhooks.retryDelivery({ callerId: owner, deliveryId: delivery }), code("VALIDATION_ERROR"));
  });

  test("a manual retry that fails leaves the delivery failed without further retries", async () => {
    const { delivery, webhook } = await failedDelivery();
    receiver.answer = () => ({ status: 500, body: "still not" });
    const attempt = await webhooks.retryDelivery({ callerId: owner, deliveryId: delivery });
    assert.equal(attempt.isDelivered, false);
    assert.equal(attempt.statusCode, 500);
    const row = await deliveryRow(delivery);
    assert.equal(row?.["status"], "failed");
    assert.equal(row?.["next_retry_at"], null);
    assert.equal(row?.["attempts"], 2);
    assert.deepEqual(await stage.rows("select 1 from private.webhook_queue where webhook_id = $1", [webhook]), []);
  });

  test("concurrent manual retries of one delivery make one attempt", async () => {
    const { delivery } = await failedDelivery();
    receiver.answer = () => ({});
    const seen = receiver.received.length;
    const answers = await Promise.allSettled(
      [1, 2, 3].map(() => webhooks.retryDelivery({ callerId: owner, deliveryId: delivery })),
    );
    assert.equal(answers.filter(({ status }) => status === "fulfilled").length, 1);
    assert.equal(receiver.received.length, seen + 1);
  });

  test("a manual retry is rejected for a foreign, missing or unfailed delivery", async () => {
    const { delivery, webhook } = await failedDelivery();
    const retry = (deliveryId: string, callerId: string) => webhooks.retryDelivery({ callerId, deliveryId });
    await assert.rejects(retry(randomUUID(), owner), code("DELIVERY_NOT_FOUND"));
    await assert.rejects(retry(delivery, await stage.newUser()), code("FORBIDDEN"));
    await stage.sql.query("update public.webhooks set is_active = false where id = $1", [webhook]);
    await assert.rejects(retry(delivery, owner), code("WEBHOOK_DISABLED"));
  });
});

describe("send_now", () => {
  /** Its first attempt failed, and the next one is due in an hour. */
  async function retryingDelivery(): Promise<{ webhook: string; delivery: string }> {
    const made = await failedDelivery();
    await stage.sql.query(
      "update public.webhook_deliveries set status = 'retrying', next_retry_at = now() + interval '1 hour' where id = $1",
      [made.delivery],
    );
    await stage.sql.query(
      `insert into private.webhook_queue (delivery_id, webhook_id, event_seq, run_at)
       values ($1, $2, 0, now() + interval '1 hour')`,
      [made.delivery, made.webhook],
    );
    return made;
  }
  const sendNow = (deliveryId: string, callerId: string = owner) => webhooks.sendNow({ callerId, deliveryId });

  test("delivers a retrying delivery at once, and only once for concurrent calls", async () => {
    const { delivery, webhook } = await retryingDelivery();
    receiver.answer = () => ({});
    const seen = receiver.received.length;
    const answers = await Promise.allSettled([1, 2, 3].map(() => sendNow(delivery)));
    assert.deepEqual(
      answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value.status] : [])),
      ["delivered"],
    );
    assert.equal(receiver.received.length, seen + 1);
    assert.equal((await deliveryRow(delivery))?.["status"], "delivered");
    assert.deepEqual(await stage.rows("select 1 from private.webhook_queue where webhook_id = $1", [webhook]), []);
    await assert.rejects(sendNow(delivery), code("VALIDATION_ERROR"));
  });

  test("counts as a retry when it fails, and keeps the schedule", async () => {
    const { delivery } = await retryingDelivery();
    receiver.answer = () => ({ status: 500 });
    assert.deepEqual((await sendNow(delivery)).status, "retrying");
    const row = await deliveryRow(delivery);
    assert.deepEqual([row?.["status"], row?.["attempts"]], ["retrying", 2]);
    const [queued] = await stage.rows(
      "select claim, run_at > now() as waits from private.webhook_queue where delivery_id = $1",
      [delivery],
    );
    assert.deepEqual(queued, { claim: null, waits: true });
  });

  test("is rejected for a foreign, missing or failed delivery, and for one that is being sent", async () => {
    const { delivery, webhook } = await retryingDelivery();
    await assert.rejects(sendNow(randomUUID()), code("DELIVERY_NOT_FOUND"));
    await assert.rejects(sendNow(delivery, await stage.newUser()), code("FORBIDDEN"));
    await assert.rejects(sendNow((await failedDelivery()).delivery), code("VALIDATION_ERROR"));
    await stage.sql.query("update private.webhook_queue set claim = private.new_id() where delivery_id = $1", [
      delivery,
    ]);
    await assert.rejects(sendNow(delivery), code("VALIDATION_ERROR"));
    await stage.sql.query("update public.webhooks set is_active = false where id = $1", [webhook]);
    await assert.rejects(sendNow(delivery), code("WEBHOOK_DISABLED"));
  });
});

describe("regenerate_secret", () => {
  test("regenerate_secret signs with both secrets during the grace period", async () => {
    receiver.answer = () => ({});
    const webhook = await stage.newWebhook(owner, receiver.url);
    const [{ secret: old } = { secret: "" }] = await stage.rows<{ secret: string }>(
      "select secret from public.webhooks where id = $1",
      [webhook],
    );
    const { newSecret, previousExpiresAt } = await webhooks.regenerateSecret({
      callerId: owner,
      webhookId: webhook,
      gracePeriodSeconds: 60,
    });
    assert.match(newSecret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.notEqual(newSecret, old);
    assert.ok(previousExpiresAt instanceof Date);
    await webhooks.testWebhook({ callerId: owner, webhookId: webhook, eventType: "agent.created" });
    const { body, headers } = lastRequest();
    const { "x-service-signature-previous": previous, ...current } = headers;
    await verifyWebhook(body, current, newSecret);
    await assert.rejects(verifyWebhook(body, current, old), { reason: "signature_mismatch" });
    await verifyWebhook(body, { ...current, "x-service-signature": previous }, old);
    await verifyWebhook(body, headers, old);

    await stage.sql.query("update private.webhook_previous_secrets set expires_at = now() where webhook_id = $1", [
      webhook,
    ]);
    await webhooks.testWebhook({ callerId: owner, webhookId: webhook, eventType: "agent.created" });
    assert.equal(lastRequest().headers["x-service-signature-previous"], undefined);
  });

  test("regenerate_secret without a grace period deletes all older secrets", async () => {
    const webhook = await stage.newWebhook(owner, receiver.url);
    await webhooks.regenerateSecret({ callerId: owner, webhookId: webhook });
    const answer = await webhooks.regenerateSecret({ callerId: owner, webhookId: webhook, gracePeriodSeconds: 0 });
    assert.equal(answer.previousExpiresAt, null);
    assert.deepEqual(
      await stage.rows("select 1 from private.webhook_previous_secrets where webhook_id = $1", [webhook]),
      [],
    );
  });

  test("regenerate_secret keeps at most ten older secrets", async () => {
    const webhook = await stage.newWebhook(owner, receiver.url);
    for (let i = 0; i < 13; i += 1) await webhooks.regenerateSecret({ callerId: owner, webhookId: webhook });
    const kept = await stage.rows("select 1 from private.webhook_previous_secrets where webhook_id = $1", [webhook]);
    assert.equal(kept.length, 10);
  });

  test("regenerate_secret rejects foreign and missing webhooks and bad grace periods", async () => {
    const webhook = await stage.newWebhook(owner, receiver.url);
    const ask = (webhookId: string, callerId: string, gracePeriodSeconds?: number) =>
      webhooks.regenerateSecret({ callerId, webhookId, gracePeriodSeconds });
    await assert.rejects(ask(randomUUID(), owner), code("WEBHOOK_NOT_FOUND"));
    await assert.rejects(ask(webhook, await stage.newUser()), code("FORBIDDEN"));
    for (const seconds of [-1, 604_801, 1.5, Number.NaN])
      await assert.rejects(ask(webhook, owner, seconds), code("VALIDATION_ERROR"));
  });
});

describe("replay", () => {
  test("replay sends an event again under its id as a new delivery", async (t) => {
    receiver.answer = () => ({});
    const user = await stage.newUser();
    const webhook = await stage.newWebhook(user, receiver.url);
    const node = stage.start(t);
    const seen = receiver.received.length;
    await stage.newAgents(user);
    node.webhooks.wake();
    await receiver.waitFor(seen + 1);
    const first = lastRequest();
    const { id } = JSON.parse(first.body) as { id: string };
    const replayed = await node.webhooks.replay({ callerId: user, eventId: id });
    await receiver.waitFor(seen + 2);
    assert.deepEqual(
      replayed.map(({ webhook_id }) => webhook_id),
      [webhook],
    );
    assert.equal(lastRequest().body, first.body);
    assert.equal(lastRequest().headers["x-service-delivery"], replayed[0]?.delivery_id);

    const later = await stage.newWebhook(user, `${receiver.url}/later`);
    await node.webhooks.replay({ callerId: user, eventId: id, webhookId: later });
    await receiver.waitFor(seen + 3);
    assert.equal(lastRequest().path, "/later");
    assert.equal(lastRequest().body, first.body);
    await node.stop();

    await assert.rejects(webhooks.replay({ callerId: owner, eventId: id }), code("DELIVERY_NOT_FOUND"));
    await assert.rejects(webhooks.replay({ callerId: user, eventId: "evt_x" }), code("VALIDATION_ERROR"));
    await assert.rejects(webhooks.replay({ callerId: user, eventId: randomUUID() }), code("DELIVERY_NOT_FOUND"));
    await assert.rejects(webhooks.replay({ callerId: owner, eventId: id, webhookId: later }), code("FORBIDDEN"));
  });
});

describe("recover_since", () => {
  test("recover_since sends all failed deliveries again in batches and reports its progress", async (t) => {
    const user = await stage.newUser();
    const webhook = await stage.newWebhook(user, `${receiver.url}/recover`, { retry_count: 0 });
    receiver.answer = () => ({ status: 500 });
    await stage.sql.query("update private.settings set value = '0' where name = 'agent_limit_per_user'");
    const node = stage.start(t, { times: { recoveryPollMs: 50 } });
    await stage.newAgents(user, 1_200);
    node.webhooks.wake();
    const count = async (status: string): Promise<number> =>
      (
        await stage.rows("select 1 from public.webhook_deliveries where webhook_id = $1 and status = $2", [
          webhook,
          status,
        ])
      ).length;
    await until(async () => (await count("failed")) === 1_200, "all failed");
    receiver.answer = () => ({});
    const since = new Date(Date.now() - 3_600_000);
    const recovery = await node.webhooks.recoverSince({ callerId: user, webhookId: webhook, since });
    assert.equal(recovery.status, "running");
    assert.equal(recovery.found, 1_200);
    await until(async () => (await count("delivered")) === 1_200, "all delivered");
    await until(
      async () => (await node.webhooks.findRecovery(user, recovery.id))?.status === "completed",
      "the recovery is completed",
    );
    await node.stop();
    const done = await webhooks.findRecovery(user, recovery.id);
    assert.equal(done?.recovered, 1_200);
    assert.ok(done?.completed_at);
    assert.equal(await webhooks.findRecovery(owner, recovery.id), null);
    const causes = await stage.rows<Record<string, unknown>>(
      `select cause, max(attempt) as attempt, count(*)::integer from public.webhook_delivery_attempts
       where webhook_id = $1 group by cause order by cause`,
      [webhook],
    );
    assert.deepEqual(causes, [
      { cause: "replay", attempt: 2, count: 1_200 },
      { cause: "schedule", attempt: 1, count: 1_200 },
    ]);
  });

  test("recover_since restarts the retry schedule of each delivery", async (t) => {
    const user = await stage.newUser();
    const webhook = await stage.newWebhook(user, receiver.url, { retry_count: 1 });
    receiver.answer = () => ({ status: 400 });
    const node = stage.start(t, { settings: { webhookRetrySchedule: [0, 1] }, times: { recoveryPollMs: 50 } });
    await stage.newAgents(user);
    node.webhooks.wake();
    const row = async () =>
      (
        await stage.rows<{ status: string; attempts: number }>(
          "select status, attempts from public.webhook_deliveries where webhook_id = $1",
          [webhook],
        )
      )[0];
    await until(async () => (await row())?.status === "failed", "failed");
    receiver.answer = () => ({ status: 500 });
    await node.webhooks.recoverSince({ callerId: user, webhookId: webhook, since: new Date(0) });
    await until(async () => (await row())?.attempts === 3, "two more attempts");
    await node.stop();
    assert.equal((await row())?.status, "failed");
  });

  test("recover_since rejects bad calls and runs once at a time", async () => {
    const webhook = await stage.newWebhook(owner, receiver.url);
    const ask = (webhookId: string, callerId: string, since: Date) =>
      webhooks.recoverSince({ callerId, webhookId, since });
    const past = new Date(0);
    await assert.rejects(ask(randomUUID(), owner, past), code("WEBHOOK_NOT_FOUND"));
    await assert.rejects(ask(webhook, await stage.newUser(), past), code("FORBIDDEN"));
    await assert.rejects(ask(webhook, owner, new Date(Date.now() + 60_000)), code("VALIDATION_ERROR"));
    await assert.rejects(ask(webhook, owner, new Date("x")), code("VALIDATION_ERROR"));
    await assert.rejects(
      webhooks.recoverSince({ callerId: owner, webhookId: webhook, since: new Date(1), until: new Date(1) }),
      code("VALIDATION_ERROR"),
    );
    const first = await ask(webhook, owner, past);
    assert.equal((await ask(webhook, owner, past)).id, first.id);
  });

  test("recover_since with an end sends only the failed deliveries of the period again", async (t) => {
    const user = await stage.newUser();
    const webhook = await stage.newWebhook(user, receiver.url);
    const [row] = await stage.rows<{ ids: string[] }>(
      `with made as (
         insert into public.webhook_deliveries (webhook_id, user_id, event_id, event_type, payload, status, attempts, created_at)
         select $1, $2, gen_random_uuid(), 'agent.created', '{}', 'failed', 1, now() - n * interval '1 hour'
         from generate_series(1, 4) as n returning id, created_at)
       select array_agg(id order by created_at) as ids from made`,
      [webhook, user],
    );
    receiver.answer = () => ({});
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);
    const node = stage.start(t, { times: { recoveryPollMs: 50 } });
    const period = { since: hoursAgo(3.5), until: hoursAgo(1.5) };
    const recovery = await node.webhooks.recoverSince({ callerId: user, webhookId: webhook, ...period });
    assert.equal(recovery.found, 2);
    const delivered = async (): Promise<string[]> =>
      (
        await stage.rows<{ id: string }>(
          "select id from public.webhook_deliveries where webhook_id = $1 and status = 'delivered' order by created_at",
          [webhook],
        )
      ).map(({ id }) => id);
    await until(async () => (await delivered()).length >= 2, "both are delivered");
    await until(
      async () => (await node.webhooks.findRecovery(user, recovery.id))?.status === "completed",
      "the recovery is completed",
    );
    await node.stop();
    assert.deepEqual(await delivered(), row?.ids.slice(1, 3));
  });
});
