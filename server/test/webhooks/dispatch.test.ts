import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import pg from "pg";
import { startReceiver } from "./support/receiver.ts";
import { openStage, type Stage } from "./support/stage.ts";
import { until } from "../support/until.ts";

let stage: Stage;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  stage = await openStage({ after: (close) => closers.push(close) });
  await stage.sql.query("update private.settings set value = '0' where name = 'agent_limit_per_user'");
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

const countOf = async (status: string, webhookIds: readonly string[]): Promise<number> => {
  const [row] = await stage.rows<{ count: number }>(
    "select count(*)::integer as count from public.webhook_deliveries where status = $1 and webhook_id = any ($2)",
    [status, webhookIds],
  );
  return row?.count ?? 0;
};

describe("dispatching", () => {
  test("two nodes deliver 1,000 events to four endpoints exactly once each, and all records agree", async (t) => {
    const receiver = await startReceiver(t);
    const user = await stage.newUser();
    const webhooks: string[] = [];
    for (let i = 0; i < 4; i += 1) webhooks.push(await stage.newWebhook(user, `${receiver.url}/${i}`));
    const nodes = [stage.start(t), stage.start(t)];
    for (let batch = 0; batch < 10; batch += 1) {
      await stage.newAgents(user, 100);
      for (const { webhooks } of nodes) webhooks.wake();
    }
    await until(async () => (await countOf("delivered", webhooks)) === 4_000, "4,000 delivered");
    await Promise.all(nodes.map((node) => node.stop()));

    assert.equal(receiver.received.length, 4_000);
    assert.equal(new Set(receiver.received.map(({ headers }) => headers["x-service-delivery"])).size, 4_000);
    const perPath = new Map<string, Set<string>>();
    for (const { path, body } of receiver.received) {
      const { id } = JSON.parse(body) as { id: string };
      perPath.set(path, (perPath.get(path) ?? new Set()).add(id));
    }
    for (const ids of perPath.values()) assert.equal(ids.size, 1_000);
    for (const [path, peak] of receiver.peakByPath) assert.ok(peak <= 16, `${path}: ${peak} at a time`);
    const [counts] = await stage.rows<Record<string, number>>(
      `select (select count(*)::integer from public.webhook_delivery_attempts where webhook_id = any ($1)) as attempts,
         (select count(*)::integer from private.webhook_queue where webhook_id = any ($1)) as queued,
         (select count(*)::integer from private.events) as events`,
      [webhooks],
    );
    assert.deepEqual(counts, { attempts: 4_000, queued: 0, events: 0 });
  });

  test("a slow endpoint with a backlog does not delay the others", async (t) => {
    const [slow, quick] = [await startReceiver(t), await startReceiver(t)];
    const blocked = Promise.withResolvers<void>();
    slow.answer = () => ({ after: blocked.promise });
    const [noisy, quiet] = [await stage.newUser(), await stage.newUser()];
    // On a busy machine the test takes longer than the default timeout, after which other deliveries would be sent.
    const slowHook = await stage.newWebhook(noisy, slow.url, { timeout_ms: 120_000 });
    const node = stage.start(t);
    await stage.newAgents(noisy, 5_000);
    node.webhooks.wake();
    await slow.waitFor(8);
    const quickHooks: string[] = [];
    for (let i = 0; i < 20; i += 1) quickHooks.push(await stage.newWebhook(quiet, `${quick.url}/${i}`));
    await stage.newAgents(quiet, 10);
    node.webhooks.wake();
    // The slow endpoint answers nothing until it is released, so a delivery that waits behind it would wait forever.
    await quick.waitFor(200);
    assert.equal(slow.received.length, 8, "the limit of one endpoint holds");
    await until(
      async () => (await countOf("delivered", quickHooks)) === 200,
      "the deliveries of the other endpoints are recorded",
    );
    blocked.resolve();
    await node.stop();
    const [claimed] = await stage.rows<{ count: number }>(
      "select count(*)::integer as count from private.webhook_queue where webhook_id = $1 and claim is not null",
      [slowHook],
    );
    assert.equal(claimed?.count, 0, "a stop releases what was not sent");
    await stage.sql.query("delete from public.webhooks where id = $1", [slowHook]);
  });

  test("an event is delivered before all earlier events are fanned out", async () => {
    // Events that a stopped node has not processed.
    await stage.sql.query("delete from private.events");
    const [noisy, quiet] = [await stage.newUser(), await stage.newUser()];
    const noisyHook = await stage.newWebhook(noisy, "https://example.test/");
    const quietHook = await stage.newWebhook(quiet, "https://example.test/");
    await stage.newAgents(noisy, 2_000);
    await stage.newAgents(quiet);
    await stage.sql.query("select private.fan_out_events(200, '0')");
    assert.equal(await countOf("pending", [quietHook]), 1);
    assert.equal(await countOf("pending", [noisyHook]), 249);
    await stage.sql.query("delete from private.events");
    await stage.sql.query("delete from public.webhooks where id = any ($1)", [[noisyHook, quietHook]]);
  });

  test("deliveries survive cut database connections", async (t) => {
    const receiver = await startReceiver(t);
    const user = await stage.newUser();
    const webhook = await stage.newWebhook(user, receiver.url);
    const node = stage.start(t, { times: { leaseMs: 2_000, fanOutPollMs: 50, dispatchPollMs: 100 } });
    const admin = new pg.Client({ connectionString: stage.database.adminUrl });
    await admin.connect();
    for (let round = 0; round < 8; round += 1) {
      await stage.newAgents(user, 100);
      node.webhooks.wake();
      await receiver.waitFor(round * 60);
      await admin.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'sb_service' and datname = current_database()",
      );
    }
    await admin.end();
    await until(async () => (await countOf("delivered", [webhook])) === 800, "all delivered");
    await node.stop();
    const bodies = new Map<string, Set<string>>();
    for (const { headers, body } of receiver.received) {
      const id = String(headers["x-service-delivery"]);
      bodies.set(id, (bodies.get(id) ?? new Set()).add(body));
    }
    assert.equal(bodies.size, 800);
    for (const versions of bodies.values()) assert.equal(versions.size, 1);
    assert.ok(
      node.notes.some(({ name }) => name === "webhook.relay_lost"),
      "connections were cut",
    );
    t.diagnostic(`${receiver.received.length - 800} of 800 were sent twice`);
  });

  test("a stop waits for requests in flight and cancels those that do not finish", async (t) => {
    const receiver = await startReceiver(t);
    const blocked = Promise.withResolvers<void>();
    const never = new Promise<void>(() => {});
    receiver.answer = ({ path }) => ({ after: path === "/soon" ? blocked.promise : never });
    const user = await stage.newUser();
    const soon = await stage.newWebhook(user, `${receiver.url}/soon`);
    const stuck = await stage.newWebhook(user, `${receiver.url}/stuck`);
    const node = stage.start(t, { settings: { stopTimeoutMs: 3_000 } });
    await stage.newAgents(user);
    node.webhooks.wake();
    await receiver.waitFor(2);
    const stopped = node.stop();
    blocked.resolve();
    await stopped;
    assert.equal(await countOf("delivered", [soon]), 1);
    assert.equal(await countOf("pending", [stuck]), 1);
    const [row] = await stage.rows<{ claim: string | null; attempts: number; is_due: boolean }>(
      `select q.claim, d.attempts, q.run_at <= now() as is_due from private.webhook_queue q
       join public.webhook_deliveries d on d.id = q.delivery_id where q.webhook_id = $1`,
      [stuck],
    );
    assert.deepEqual(row, { claim: null, attempts: 0, is_due: true });
    await stage.sql.query("delete from public.webhooks where id = $1", [stuck]);
  });

  test("a lease is renewed while a request takes longer than the lease", async (t) => {
    const receiver = await startReceiver(t);
    const blocked = Promise.withResolvers<void>();
    receiver.answer = () => ({ after: blocked.promise });
    const user = await stage.newUser();
    const webhook = await stage.newWebhook(user, receiver.url);
    const options = { times: { leaseMs: 2_000, dispatchPollMs: 50 } };
    const nodes = [stage.start(t, options), stage.start(t, options)];
    await stage.newAgents(user);
    nodes[0]?.webhooks.wake();
    await receiver.waitFor(1);
    const leaseEnd = async (): Promise<number> => {
      const [row] = await stage.rows<{ until: Date }>(
        "select lease_until as until from private.webhook_queue where webhook_id = $1",
        [webhook],
      );
      return row?.until.getTime() ?? 0;
    };
    const first = await leaseEnd();
    await until(async () => (await leaseEnd()) > first + 2_000, "the lease is renewed past its first end");
    blocked.resolve();
    await until(async () => (await countOf("delivered", [webhook])) === 1, "delivered");
    await Promise.all(nodes.map((node) => node.stop()));
    assert.equal(receiver.received.length, 1);
  });

  test("a request whose claim another node took over is cancelled and not recorded", async (t) => {
    const receiver = await startReceiver(t);
    const never = new Promise<void>(() => {});
    receiver.answer = () => (receiver.received.length === 1 ? { after: never } : {});
    const user = await stage.newUser();
    const webhook = await stage.newWebhook(user, receiver.url);
    const node = stage.start(t, { times: { leaseMs: 2_000, dispatchPollMs: 50 } });
    await stage.newAgents(user);
    node.webhooks.wake();
    await receiver.waitFor(1);
    // As if the lease had expired and another node had claimed the delivery and died.
    await stage.sql.query(
      `update private.webhook_queue set claim = gen_random_uuid(), run_at = now() + interval '1 second' where webhook_id = $1`,
      [webhook],
    );
    await until(async () => (await countOf("delivered", [webhook])) === 1, "delivered");
    await node.stop();
    assert.equal(receiver.received.length, 2);
    assert.equal(receiver.received[0]?.body, receiver.received[1]?.body);
    const attempts = await stage.rows("select 1 from public.webhook_delivery_attempts where webhook_id = $1", [
      webhook,
    ]);
    assert.equal(attempts.length, 1);
  });

  test("a deleted webhook leaves no rows behind, even with deliveries in flight", async (t) => {
    const receiver = await startReceiver(t);
    const blocked = Promise.withResolvers<void>();
    receiver.answer = () => ({ after: blocked.promise });
    const user = await stage.newUser();
    const webhook = await stage.newWebhook(user, receiver.url);
    const node = stage.start(t, { times: { leaseMs: 600, dispatchPollMs: 50, housekeepingIntervalMs: 100 } });
    await stage.newAgents(user, 50);
    node.webhooks.wake();
    await receiver.waitFor(8);
    await stage.sql.query("delete from public.webhooks where id = $1", [webhook]);
    blocked.resolve();
    await until(async () => {
      const [left] = await stage.rows<{ count: number }>(
        `select (select count(*) from private.webhook_queue where webhook_id = $1)
              + (select count(*) from private.webhook_endpoint_queues where webhook_id = $1)
              + (select count(*) from public.webhook_deliveries where webhook_id = $1)
              + (select count(*) from public.webhook_delivery_attempts where webhook_id = $1) as count`,
        [webhook],
      );
      return Number(left?.count) === 0;
    }, "nothing is left");
    await node.stop();
    assert.deepEqual(
      node.notes.filter(({ name }) => name.endsWith("_failed")),
      [],
    );
  });

  test("a failing webhook is reported after a day and disabled after five", async (t) => {
    const receiver = await startReceiver(t);
    receiver.answer = () => ({ status: 500 });
    const user = await stage.newUser();
    const webhook = await stage.newWebhook(user, receiver.url, { retry_count: 0 });
    const node = stage.start(t);
    const failing = async (days: number): Promise<void> => {
      await stage.sql.query(
        "update private.webhook_endpoint_queues set failing_since = now() - $2 * interval '1 day' where webhook_id = $1",
        [webhook, days],
      );
    };
    const fail = async (count: number, total: number): Promise<void> => {
      await stage.newAgents(user, count);
      node.webhooks.wake();
      await until(async () => (await countOf("failed", [webhook])) === total, `${total} failed`);
    };
    const isActive = async (): Promise<unknown> =>
      (await stage.rows<{ is_active: boolean }>("select is_active from public.webhooks where id = $1", [webhook]))[0]
        ?.is_active;
    await fail(1, 1);
    assert.ok(!node.notes.some(({ name }) => name === "webhook.failing"));
    await failing(2);
    await fail(1, 2);
    await fail(1, 3);
    assert.equal(node.notes.filter(({ name }) => name === "webhook.failing").length, 1, "once");
    await failing(6);
    await fail(16, 19);
    assert.equal(await isActive(), true, "five days, but fewer than twenty");
    await fail(1, 20);
    assert.equal(await isActive(), false);
    const [row] = await stage.rows<{ disabled_reason: string }>(
      "select disabled_reason from public.webhooks where id = $1",
      [webhook],
    );
    assert.equal(row?.disabled_reason, "endpoint_failing");
    await node.stop();
  });

  test("one success resets the count of consecutive failures", async (t) => {
    const receiver = await startReceiver(t);
    receiver.answer = () => ({ status: 400 });
    const user = await stage.newUser();
    const webhook = await stage.newWebhook(user, receiver.url);
    const node = stage.start(t);
    await stage.newAgents(user, 3);
    node.webhooks.wake();
    await until(async () => (await countOf("failed", [webhook])) === 3, "three failed");
    const readState = async (): Promise<unknown> =>
      (
        await stage.rows(
          "select failed_in_a_row, failing_since is null as is_well from private.webhook_endpoint_queues where webhook_id = $1",
          [webhook],
        )
      )[0];
    assert.deepEqual(await readState(), { failed_in_a_row: 3, is_well: false });
    receiver.answer = () => ({ status: 200 });
    await stage.newAgents(user);
    node.webhooks.wake();
    await until(async () => (await countOf("delivered", [webhook])) === 1, "delivered");
    await node.stop();
    assert.deepEqual(await readState(), { failed_in_a_row: 0, is_well: true });
  });
});
