import assert from "node:assert/strict";
import { after, before, describe, test, type TestContext } from "node:test";
import { isEventOf, verifyWebhook } from "@swarmbase/sdk";
import pg from "pg";
import { startReceiver } from "./support/receiver.ts";
import { openStage, type Stage } from "./support/stage.ts";
import { until } from "../support/until.ts";

let stage: Stage;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  stage = await openStage({ after: (close) => closers.push(close) });
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

interface DeliveryRow {
  readonly id: string;
  readonly webhook_id: string;
  readonly status: string;
  readonly status_code: number | null;
  readonly response_body: string | null;
  readonly attempts: number;
  readonly next_retry_at: Date | null;
  readonly delivered_at: Date | null;
  readonly wait_ms: number | null;
  readonly body: string;
}

const deliveriesOf = (webhookId: string): Promise<DeliveryRow[]> =>
  stage.rows<DeliveryRow>(
    `select *, payload::text as body, extract(epoch from next_retry_at - now())::float8 * 1000 as wait_ms
     from public.webhook_deliveries where webhook_id = $1 order by created_at, id`,
    [webhookId],
  );

const waitForStatus = async (webhookId: string, status: string, count = 1): Promise<DeliveryRow[]> => {
  await until(
    async () => (await deliveriesOf(webhookId)).filter((row) => row.status === status).length === count,
    `${count} ${status}`,
  );
  return deliveriesOf(webhookId);
};

describe("a delivery", () => {
  test("a delivery sends the stored body with signatures and is recorded", async (t) => {
    const receiver = await startReceiver(t);
    receiver.answer = () => ({ status: 202, body: "thanks" });
    const user = await stage.newUser();
    const webhook = await stage.newWebhook(user, `${receiver.url}/a`, { headers: { "X-Custom": "yes" } });
    const node = stage.start(t);
    const [agent] = await stage.newAgents(user);
    node.webhooks.wake();
    const [row] = await waitForStatus(webhook, "delivered");
    await node.stop();

    const [request] = receiver.received;
    assert.ok(row && request);
    assert.equal(receiver.received.length, 1);
    assert.equal(request.body, row.body);
    assert.equal(request.headers["x-custom"], "yes");
    assert.equal(request.headers["content-type"], "application/json");
    assert.equal(request.headers["x-service-event"], "agent.created");
    assert.equal(request.headers["x-service-delivery"], row.id);
    const [{ secret } = { secret: "" }] = await stage.rows<{ secret: string }>(
      "select secret from public.webhooks where id = $1",
      [webhook],
    );
    const envelope = await verifyWebhook(request.body, request.headers, secret);
    assert.deepEqual(Object.keys(envelope), ["id", "type", "created_at", "api_version", "data"]);
    assert.match(envelope.id, /^evt_[0-9a-f-]{36}$/);
    assert.match(envelope.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.ok(isEventOf(envelope, "agent.created"));
    assert.equal(envelope.data.agent_id, agent);
    assert.equal(row.status_code, 202);
    assert.equal(row.response_body, "thanks");
    assert.equal(row.attempts, 1);
    assert.ok(row.delivered_at);
    const attempts = await stage.rows<Record<string, unknown>>(
      "select * from public.webhook_delivery_attempts where delivery_id = $1",
      [row.id],
    );
    assert.equal(attempts.length, 1);
    assert.equal(attempts[0]?.["cause"], "schedule");
    assert.equal(attempts[0]?.["status_code"], 202);
    assert.deepEqual(await stage.rows("select * from private.webhook_queue where webhook_id = $1", [webhook]), []);
    assert.deepEqual(await stage.rows("select * from private.events"), []);
  });

  test("a kept-alive connection that drops after the request makes a recorded attempt without an immediate resend", async (t) => {
    const receiver = await startReceiver(t);
    const user = await stage.newUser();
    const webhook = await stage.newWebhook(user, receiver.url);
    const node = stage.start(t);
    await stage.newAgents(user);
    node.webhooks.wake();
    await waitForStatus(webhook, "delivered");
    receiver.answer = () => {
      throw new Error("the connection is closed instead of an answer");
    };
    await stage.newAgents(user);
    node.webhooks.wake();
    const [, dropped] = await waitForStatus(webhook, "retrying");
    await node.stop();
    assert.equal(receiver.received.length, 2, "one request for each recorded attempt");
    assert.deepEqual([dropped?.attempts, dropped?.status_code], [1, null]);
    const attempts = await stage.rows<Record<string, unknown>>(
      "select attempt, error_code from public.webhook_delivery_attempts where delivery_id = $1",
      [dropped?.id],
    );
    assert.deepEqual(attempts, [{ attempt: 1, error_code: "reset" }]);
  });

  test("one event goes to every subscribed webhook under one event id", async (t) => {
    const receiver = await startReceiver(t);
    const user = await stage.newUser();
    await stage.newWebhook(user, `${receiver.url}/a`);
    await stage.newWebhook(user, `${receiver.url}/b`);
    await stage.newWebhook(user, `${receiver.url}/other`, { events: ["swarm.created"] });
    await stage.newWebhook(await stage.newUser(), `${receiver.url}/stranger`);
    const node = stage.start(t);
    await stage.newAgents(user);
    node.webhooks.wake();
    await receiver.waitFor(2);
    await node.stop();
    assert.deepEqual(receiver.received.map(({ path }) => path).toSorted(), ["/a", "/b"]);
    assert.equal(new Set(receiver.received.map(({ body }) => body)).size, 1);
    assert.equal(new Set(receiver.received.map(({ headers }) => headers["x-service-delivery"])).size, 2);
  });

  test("polling finds a delivery without a wake-up", async (t) => {
    const receiver = await startReceiver(t);
    const user = await stage.newUser();
    await stage.newWebhook(user, receiver.url);
    const node = stage.start(t, { listens: false });
    await stage.newAgents(user);
    await receiver.waitFor(1);
    await node.stop();
  });

  const never = { fanOutPollMs: 3_600_000, dispatchPollMs: 3_600_000 };
  /** As a node writes for a caller. */
  const insertByService = async (t: TestContext, userId: string): Promise<() => Promise<unknown>> => {
    const client = new pg.Client({ connectionString: stage.database.url("sb_service") });
    await client.connect();
    t.after(() => client.end());
    await client.query("set role service_role");
    return () => client.query("insert into public.agents (user_id, name) values ($1, 'agent')", [userId]);
  };

  test("an event of a session that is not the service's is found at once", async (t) => {
    const receiver = await startReceiver(t);
    const user = await stage.newUser();
    await stage.newWebhook(user, receiver.url);
    const node = stage.start(t, { times: never });
    await stage.newAgents(user);
    await receiver.waitFor(1);
    await stage.newAgents(user);
    await receiver.waitFor(2);
    await node.stop();
  });

  test("a node finds a delivery when another node notifies it", async (t) => {
    const receiver = await startReceiver(t);
    const user = await stage.newUser();
    await stage.newWebhook(user, receiver.url);
    const hearing = stage.start(t, { times: never });
    const speaking = stage.open({ times: never });
    const stopSpeaking = new AbortController();
    const notifier = speaking.webhooks.nodeWorkers.find(({ name }) => name === "webhook-relay");
    const notifying = notifier?.run(stopSpeaking.signal);
    const insert = await insertByService(t, user);
    await insert();
    // The notifier sends only while it is connected, and connecting sends nothing.
    await until(() => {
      speaking.webhooks.wake();
      return receiver.received.length > 0;
    }, "the other node heard of the event");
    await hearing.stop();
    stopSpeaking.abort();
    await notifying;
  });

  test("a node without capacity leaves its deliveries to another one, which it notifies", async (t) => {
    const receiver = await startReceiver(t);
    const released = Promise.withResolvers<void>();
    t.after(() => released.resolve());
    receiver.answer = () => (receiver.received.length === 1 ? { after: released.promise } : {});
    const user = await stage.newUser();
    await stage.newWebhook(user, receiver.url);
    const full = stage.start(t, { times: never, settings: { webhookConcurrency: 1 } });
    const other = stage.start(t, { times: never });
    const connections =
      "select from pg_stat_activity where datname = current_database() and application_name = 'swarmbase-webhooks'";
    await until(async () => (await stage.rows(connections)).length >= 2, "both nodes are connected");
    const insert = await insertByService(t, user);
    await insert();
    full.webhooks.wake();
    await receiver.waitFor(1);
    // A notification before the other one listens is lost.
    await until(async () => {
      await insert();
      full.webhooks.wake();
      return receiver.received.length > 1;
    }, "the other node sends what the full one cannot");
    released.resolve();
    await Promise.all([full.stop(), other.stop()]);
  });
});

describe("an attempt that fails", () => {
  test("a failed attempt is retried with the same body and id until the retries are used up", async (t) => {
    const receiver = await startReceiver(t);
    receiver.answer = () => ({ status: 500, body: "no" });
    const user = await stage.newUser();
    const webhook = await stage.newWebhook(user, receiver.url, { retry_count: 2 });
    const node = stage.start(t, { settings: { webhookRetrySchedule: [0, 1, 1] } });
    await stage.newAgents(user);
    node.webhooks.wake();
    const [row] = await waitForStatus(webhook, "failed");
    await node.stop();
    assert.equal(row?.attempts, 3);
    assert.equal(row?.next_retry_at, null);
    assert.equal(receiver.received.length, 3);
    assert.equal(new Set(receiver.received.map(({ body }) => body)).size, 1);
    assert.equal(new Set(receiver.received.map(({ headers }) => headers["x-service-delivery"])).size, 1);
    const [first, second, third] = receiver.received.map(({ atMs }) => atMs);
    assert.ok(first !== undefined && second !== undefined && third !== undefined);
    assert.ok(second - first >= 995 && third - second >= 995, "never early");
    const attempts = await stage.rows<{ attempt: number }>(
      "select attempt from public.webhook_delivery_attempts where delivery_id = $1 order by attempt",
      [row?.id],
    );
    assert.deepEqual(
      attempts.map(({ attempt }) => attempt),
      [1, 2, 3],
    );
  });

  test("the second attempt follows after a minute by default", async (t) => {
    const receiver = await startReceiver(t);
    receiver.answer = () => ({ status: 503 });
    const user = await stage.newUser();
    const webhook = await stage.newWebhook(user, receiver.url);
    const node = stage.start(t);
    await stage.newAgents(user);
    node.webhooks.wake();
    const [row] = await waitForStatus(webhook, "retrying");
    await node.stop();
    assert.equal(row?.status_code, 503);
    assert.ok(row?.wait_ms !== null && row?.wait_ms !== undefined);
    assert.ok(row.wait_ms > 55_000 && row.wait_ms <= 65_000);
  });

  test("a 429 response pauses the endpoint for its Retry-After", async (t) => {
    const receiver = await startReceiver(t);
    receiver.answer = () =>
      receiver.received.length === 1 ? { status: 429, headers: { "Retry-After": "2" } } : { status: 200 };
    const user = await stage.newUser();
    const webhook = await stage.newWebhook(user, receiver.url);
    const node = stage.start(t, { settings: { webhookRetrySchedule: [0, 0], webhookEndpointConcurrency: 4 } });
    await stage.newAgents(user, 40);
    node.webhooks.wake();
    await waitForStatus(webhook, "delivered", 40);
    await node.stop();
    const [first = 0, ...others] = receiver.received.map(({ atMs }) => atMs);
    assert.equal(others.length, 40);
    const early = others.filter((atMs) => atMs - first < 1_990).length;
    assert.ok(early <= 8, `${early} came early, where only those on their way already may`);
  });

  test("a 410 response disables the webhook with a reason and holds its deliveries until it is enabled", async (t) => {
    const receiver = await startReceiver(t);
    receiver.answer = () => ({ status: 410 });
    const user = await stage.newUser();
    const webhook = await stage.newWebhook(user, receiver.url);
    const node = stage.start(t, { settings: { webhookEndpointConcurrency: 1 } });
    await stage.newAgents(user, 4);
    node.webhooks.wake();
    await waitForStatus(webhook, "failed");
    await until(() => node.notes.some(({ name }) => name === "webhook.disabled"), "the log names the webhook");
    const [row] = await stage.rows<Record<string, unknown>>("select * from public.webhooks where id = $1", [webhook]);
    assert.equal(row?.["is_active"], false);
    assert.equal(row?.["disabled_reason"], "endpoint_gone");
    assert.ok(row?.["disabled_at"] instanceof Date);
    await until(
      async () =>
        (
          await stage.rows(
            "select 1 from private.webhook_endpoint_queues where webhook_id = $1 and paused_until = 'infinity'",
            [webhook],
          )
        ).length === 1,
      "the endpoint is paused",
    );
    assert.equal((await deliveriesOf(webhook)).filter(({ status }) => status === "pending").length, 3);

    receiver.answer = () => ({ status: 200 });
    await stage.sql.query("update public.webhooks set is_active = true where id = $1", [webhook]);
    node.webhooks.wake();
    await waitForStatus(webhook, "delivered", 3);
    await node.stop();
    assert.equal(receiver.received.length, 4);
  });

  test("a redirect fails at once, and the attempt says that it is not followed", async (t) => {
    const receiver = await startReceiver(t);
    receiver.answer = () => ({ status: 302, headers: { Location: receiver.url } });
    const user = await stage.newUser();
    const webhook = await stage.newWebhook(user, receiver.url);
    const node = stage.start(t);
    await stage.newAgents(user);
    node.webhooks.wake();
    await waitForStatus(webhook, "failed");
    await node.stop();
    assert.equal(receiver.received.length, 1);
    const [attempt] = await stage.rows<Record<string, unknown>>(
      "select status_code, error from public.webhook_delivery_attempts where webhook_id = $1",
      [webhook],
    );
    assert.equal(attempt?.["status_code"], 302);
    assert.match(String(attempt?.["error"]), /redirects are not followed/);
  });

  test("a delivery to a blocked address fails at once", async (t) => {
    const user = await stage.newUser();
    const webhook = await stage.newWebhook(user, "https://10.0.0.1/");
    const node = stage.start(t);
    await stage.newAgents(user);
    node.webhooks.wake();
    const [row] = await waitForStatus(webhook, "failed");
    await node.stop();
    assert.equal(row?.attempts, 1);
    assert.equal(row?.status_code, null);
    const [attempt] = await stage.rows<Record<string, unknown>>(
      "select * from public.webhook_delivery_attempts where webhook_id = $1",
      [webhook],
    );
    assert.equal(attempt?.["error_code"], "blocked_address");
  });
});
