import assert from "node:assert/strict";
import { after, before, describe, type TestContext, test } from "node:test";
import { startReceiver } from "./support/receiver.ts";
import { openStage, type RunningNode, type Stage } from "./support/stage.ts";
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

const LIMIT = 20;
const start = (t: TestContext, limitWebhooks = LIMIT, settings = {}): RunningNode =>
  stage.start(t, { settings: { limitWebhooks, ...settings } });

interface Waiting {
  readonly status: string;
  readonly attempts: number;
  readonly next_retry_at: Date | null;
  readonly scheduled_for: Date | null;
}

const countOf = async (status: string, userId: string): Promise<number> => {
  const [row] = await stage.rows<{ count: number }>(
    "select count(*)::integer as count from public.webhook_deliveries where status = $1 and user_id = $2",
    [status, userId],
  );
  return row?.count ?? 0;
};

const waitingOf = (userId: string): Promise<Waiting[]> =>
  stage.rows<Waiting>(
    `select status, attempts, next_retry_at, scheduled_for from public.webhook_deliveries
     where user_id = $1 and status in ('pending', 'retrying') order by scheduled_for, id`,
    [userId],
  );

const windowOf = async (userId: string): Promise<{ sent: number; ends_at: Date } | undefined> =>
  (
    await stage.rows<{ sent: number; ends_at: Date }>(
      "select sent, opened_at + interval '1 minute' as ends_at from private.webhook_send_windows where user_id = $1",
      [userId],
    )
  )[0];

/** Waits until that many are delivered and the window counts no other send. */
const delivered = async (userId: string, count: number, sent = LIMIT): Promise<void> => {
  await until(async () => (await countOf("delivered", userId)) === count, `${count} delivered`);
  assert.equal((await windowOf(userId))?.sent, sent);
};

/** Moves the times of this user back by a minute. */
const passMinute = async (userId: string, node: RunningNode): Promise<void> => {
  await stage.change(
    `with opened as (
       update private.webhook_send_windows set opened_at = opened_at - interval '1 minute' where user_id = $1
     ), dues as (
       update private.webhook_endpoint_queues queue set next_due_at = next_due_at - interval '1 minute'
       from public.webhooks w where w.id = queue.webhook_id and w.user_id = $1
     ), retried as (
       update private.webhook_queue q set run_at = run_at - interval '1 minute'
       from public.webhooks w where w.id = q.webhook_id and w.user_id = $1 and q.claim is null
     )
     update public.webhook_deliveries
     set scheduled_for = scheduled_for - interval '1 minute', next_retry_at = next_retry_at - interval '1 minute'
     where user_id = $1`,
    [userId],
  );
  node.webhooks.wake();
};

describe("the webhook send limit", () => {
  test("sends over the limit wait for the next windows, and scheduled_for shows when", async (t) => {
    const receiver = await startReceiver(t);
    const user = await stage.newUser();
    await stage.newWebhook(user, receiver.url);
    const node = start(t);
    await stage.newAgents(user, 50);
    node.webhooks.wake();
    await delivered(user, LIMIT);

    const endsAtMs = (await windowOf(user))?.ends_at.getTime() ?? 0;
    const waiting = await waitingOf(user);
    assert.equal(waiting.length, 30);
    assert.deepEqual(
      waiting.map(({ status, attempts, next_retry_at }) => [status, attempts, next_retry_at]),
      waiting.map(() => ["pending", 0, null]),
    );
    const scheduled = waiting.map(({ scheduled_for }) =>
      Math.round(((scheduled_for?.getTime() ?? 0) - endsAtMs) / 1_000),
    );
    assert.deepEqual(scheduled, [...Array(LIMIT).fill(0), ...Array(10).fill(60)]);

    // New deliveries queue behind those that wait.
    await stage.newAgents(user, 15);
    node.webhooks.wake();
    await until(async () => (await waitingOf(user)).length >= 45, "fifteen more wait");
    const last = (await waitingOf(user)).at(-1)?.scheduled_for?.getTime() ?? 0;
    assert.equal(Math.round((last - endsAtMs) / 1_000), 120);
    assert.equal(receiver.received.length, LIMIT);

    for (const [round, sent] of [LIMIT, LIMIT, 5].entries()) {
      await passMinute(user, node);
      await delivered(user, LIMIT * (round + 1) + sent, sent);
    }
    await node.stop();
    assert.equal(receiver.received.length, 65);
    assert.equal(new Set(receiver.received.map(({ headers }) => headers["x-service-delivery"])).size, 65);
    const [counts] = await stage.rows(
      `select count(*)::integer as deliveries, max(attempts) as attempts, count(scheduled_for)::integer as scheduled
       from public.webhook_deliveries where user_id = $1`,
      [user],
    );
    assert.deepEqual(counts, { deliveries: 65, attempts: 1, scheduled: 0 });
  });

  test("the send limit holds over all nodes together", async (t) => {
    const receiver = await startReceiver(t);
    const user = await stage.newUser();
    for (const path of ["a", "b", "c"]) await stage.newWebhook(user, `${receiver.url}/${path}`);
    const nodes = [start(t), start(t), start(t)] as const;
    for (let batch = 0; batch < 10; batch += 1) {
      await stage.newAgents(user, 3);
      for (const { webhooks } of nodes) webhooks.wake();
    }
    for (const sent of [20, 40, 60, 80]) {
      await delivered(user, sent);
      assert.equal(receiver.received.length, sent);
      await passMinute(user, nodes[0]);
    }
    await delivered(user, 90, 10);
    await Promise.all(nodes.map((node) => node.stop()));
    assert.equal(receiver.received.length, 90);
  });

  test("webhooks of one user share the send limit in turn, and other users have their own", async (t) => {
    const receiver = await startReceiver(t);
    const [user, other] = [await stage.newUser(), await stage.newUser()];
    await stage.newWebhook(user, `${receiver.url}/busy`);
    const node = start(t);
    await stage.newAgents(user, 200);
    node.webhooks.wake();
    await delivered(user, LIMIT);

    await stage.newWebhook(user, `${receiver.url}/quiet`, { events: ["agent.deleted"] });
    await stage.newWebhook(other, `${receiver.url}/other`);
    await stage.newAgents(other, 3);
    await stage.sql.query(
      "delete from public.agents where id in (select id from public.agents where user_id = $1 limit 3)",
      [user],
    );
    node.webhooks.wake();
    await until(async () => (await countOf("delivered", other)) === 3, "the other user is served");
    await until(async () => (await waitingOf(user)).length >= 183, "the quiet one waits");
    assert.ok((await waitingOf(user)).every(({ scheduled_for }) => (scheduled_for?.getTime() ?? 0) > Date.now()));

    await passMinute(user, node);
    await delivered(user, 2 * LIMIT);
    await node.stop();
    const second = receiver.received.filter(({ path }) => path !== "/other").slice(LIMIT);
    assert.equal(second.filter(({ path }) => path === "/quiet").length, 3);
    await stage.sql.query("delete from public.webhooks where user_id = $1", [user]);
  });

  test("the send limit counts retries, which stay retrying and keep their next_retry_at", async (t) => {
    const receiver = await startReceiver(t);
    receiver.answer = () => ({ status: 500 });
    const user = await stage.newUser();
    await stage.newWebhook(user, receiver.url);
    const node = start(t, 4, { webhookRetrySchedule: [0, 1] });
    await stage.newAgents(user, 3);
    node.webhooks.wake();
    // Three attempts and one retry.
    await receiver.waitFor(4);
    await until(
      async () => (await waitingOf(user)).filter(({ scheduled_for }) => scheduled_for !== null).length >= 2,
      "they wait",
    );
    const endsAtMs = (await windowOf(user))?.ends_at.getTime() ?? 0;
    const waiting = (await waitingOf(user)).filter(({ scheduled_for }) => scheduled_for !== null);
    for (const { status, next_retry_at, scheduled_for } of waiting) {
      assert.equal(status, "retrying");
      assert.deepEqual([next_retry_at?.getTime(), scheduled_for?.getTime()], [endsAtMs, endsAtMs]);
    }
    receiver.answer = () => ({});
    await passMinute(user, node);
    await until(async () => (await countOf("delivered", user)) === 3, "all are delivered in the end");
    await node.stop();
    assert.equal(receiver.received.length, 7);
  });

  test("the send limit counts tests and manual retries together with deliveries", async (t) => {
    const receiver = await startReceiver(t);
    const user = await stage.newUser();
    await stage.newWebhook(user, receiver.url);
    const node = start(t, 5);
    for (const remaining of [4, 3]) {
      const { isGranted, remaining: left, leftMs } = await node.webhooks.countSend(user);
      assert.deepEqual([isGranted, left], [true, remaining]);
      assert.ok(leftMs > 0 && leftMs <= 60_000);
    }
    await stage.newAgents(user, 10);
    node.webhooks.wake();
    await delivered(user, 3, 5);
    const rejected = await node.webhooks.countSend(user);
    assert.deepEqual([rejected.isGranted, rejected.remaining], [false, 0]);
    await passMinute(user, node);
    await delivered(user, 8, 5);
    await node.stop();
    assert.equal(receiver.received.length, 8);
  });

  test("a granted send that is not made is refunded to the other webhooks of the user", async (t) => {
    const receiver = await startReceiver(t);
    receiver.answer = ({ path }) => (path === "/throttling" ? { status: 429, headers: { "retry-after": "60" } } : {});
    const user = await stage.newUser();
    await stage.newWebhook(user, `${receiver.url}/throttling`);
    const node = start(t, LIMIT, { webhookEndpointConcurrency: 1 });
    await stage.newAgents(user, 40);
    node.webhooks.wake();
    await receiver.waitFor(1);
    await until(async () => (await windowOf(user))?.sent === 1, "the others are given back");
    await stage.newWebhook(user, `${receiver.url}/well`, { events: ["agent.deleted"] });
    await stage.sql.query("delete from public.agents where user_id = $1", [user]);
    node.webhooks.wake();
    await delivered(user, LIMIT - 1);
    await node.stop();
    assert.equal(receiver.received.filter(({ path }) => path === "/throttling").length, 1);
  });

  test("deliveries claimed in one window and sent in the next count in the next window", async (t) => {
    const receiver = await startReceiver(t);
    const openWindow = async (leftSeconds: number): Promise<string> => {
      const user = await stage.newUser();
      await stage.newWebhook(user, `${receiver.url}/slow`);
      await stage.sql.query(
        "insert into private.webhook_send_windows values ($1, now() - interval '1 minute' + $2 * interval '1 second', 0, 0)",
        [user, leftSeconds],
      );
      return user;
    };
    const node = start(t, LIMIT, { webhookEndpointConcurrency: 2 });
    // On a busy machine a short window may end before the claim; a longer one follows.
    for (let leftSeconds = 2; ; leftSeconds *= 2) {
      const blocked = Promise.withResolvers<void>();
      receiver.answer = () => ({ after: blocked.promise });
      const user = await openWindow(leftSeconds);
      const [before, received] = [await windowOf(user), receiver.received.length];
      await stage.newAgents(user, LIMIT);
      node.webhooks.wake();
      await receiver.waitFor(received + 2);
      const claimed = await windowOf(user);
      const isInTime = claimed?.sent === LIMIT && claimed.ends_at.getTime() === before?.ends_at.getTime();
      if (isInTime) await until(() => claimed.ends_at.getTime() <= Date.now(), "the window is over");
      blocked.resolve();
      await until(async () => (await countOf("delivered", user)) === LIMIT, "all are delivered");
      assert.equal(receiver.received.length, received + LIMIT);
      if (!isInTime) continue;
      assert.equal((await windowOf(user))?.sent, LIMIT - 2, "all but the first two are counted anew");
      break;
    }
    await node.stop();
  });

  test("the send limit applies to recoveries and replays", async (t) => {
    const receiver = await startReceiver(t);
    receiver.answer = () => ({ status: 400 });
    const user = await stage.newUser();
    const webhook = await stage.newWebhook(user, receiver.url);
    const node = start(t, 0);
    await stage.newAgents(user, 60);
    node.webhooks.wake();
    await until(async () => (await countOf("failed", user)) === 60, "all have failed");
    await node.stop();
    receiver.answer = () => ({});

    const limited = start(t);
    const call = { callerId: user, webhookId: webhook };
    await limited.webhooks.recoverSince({ ...call, since: new Date(Date.now() - 3_600_000) });
    await delivered(user, LIMIT);
    await until(
      async () => (await waitingOf(user)).filter(({ scheduled_for }) => scheduled_for !== null).length === 40,
      "all others are scheduled",
    );
    const [event] = await stage.rows<{ event_id: string }>(
      "select event_id from public.webhook_deliveries where user_id = $1 limit 1",
      [user],
    );
    await limited.webhooks.replay({ ...call, eventId: event?.event_id ?? "" });
    await until(
      async () => (await waitingOf(user)).filter(({ scheduled_for }) => scheduled_for !== null).length === 41,
      "and the replayed one",
    );
    assert.equal(receiver.received.length, 60 + LIMIT);
    for (const [count, sent] of [
      [40, 20],
      [60, 20],
      [61, 1],
    ] as const) {
      await passMinute(user, limited);
      await delivered(user, count, sent);
    }
    await limited.stop();
  });

  test("a disabled send limit writes no windows", async (t) => {
    const receiver = await startReceiver(t);
    const user = await stage.newUser();
    await stage.newWebhook(user, receiver.url);
    const node = start(t, 0);
    await stage.newAgents(user, 150);
    node.webhooks.wake();
    await until(async () => (await countOf("delivered", user)) === 150, "all are delivered");
    await node.stop();
    assert.equal(await windowOf(user), undefined);
  });

  test("a send window restarts when the clock of the database was set back", async () => {
    const user = await stage.newUser();
    await stage.sql.query("insert into private.webhook_send_windows values ($1, now() + interval '1 hour', 5, 1)", [
      user,
    ]);
    const { webhooks } = stage.open({ settings: { limitWebhooks: 5 } });
    const { isGranted, remaining, leftMs } = await webhooks.countSend(user);
    assert.deepEqual([isGranted, remaining], [true, 4]);
    assert.ok(leftMs > 50_000 && leftMs <= 60_000);
  });

  test("send windows are deleted after an hour", async (t) => {
    const [old, young] = [await stage.newUser(), await stage.newUser()];
    await stage.sql.query(
      `insert into private.webhook_send_windows
       values ($1, now() - interval '61 minutes', 3, 1), ($2, now() - interval '59 minutes', 3, 1)`,
      [old, young],
    );
    const node = stage.start(t, { times: { housekeepingIntervalMs: 20 } });
    await until(async () => (await windowOf(old)) === undefined, "the old one is gone");
    await node.stop();
    assert.equal((await windowOf(young))?.sent, 3);
  });
});
