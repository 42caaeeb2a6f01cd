import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import pg from "pg";
import { startReceiver } from "./support/receiver.ts";
import { openStage, type Stage } from "./support/stage.ts";
import { until } from "../support/until.ts";

let stage: Stage;
let people: pg.Client;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  stage = await openStage({ after: (close) => closers.push(close) });
  people = new pg.Client({ connectionString: stage.database.url("sb_user") });
  await people.connect();
  closers.push(() => people.end());
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

/** Queries as a user, as a request does. */
async function asUser<Row>(userId: string, text: string, values: readonly unknown[] = []): Promise<Row[]> {
  await people.query("begin read only");
  try {
    const claims = JSON.stringify({ sub: userId, role: "authenticated" });
    await people.query("select set_config('role', 'authenticated', true), set_config('request.jwt.claims', $1, true)", [
      claims,
    ]);
    return (await people.query(text, [...values])).rows as Row[];
  } finally {
    await people.query("rollback");
  }
}

interface Health {
  readonly webhook_id: string;
  readonly since: Date;
  readonly until: Date;
  readonly attempts: number;
  readonly delivered: number;
  readonly retried: number;
  readonly failed: number;
  readonly success_rate: string | null;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  readonly pending: number;
  readonly retrying: number;
}

const healthOf = async (
  userId: string,
  webhookId: string | null = null,
  hours: number | null = 24,
): Promise<Health[]> => asUser<Health>(userId, "select * from public.webhook_health($1, $2)", [webhookId, hours]);

async function addAttempts(webhookId: string, count: number, row: Record<string, unknown> = {}): Promise<void> {
  const { outcome = "delivered", cause = "schedule", hoursAgo = 0 } = row;
  await stage.sql.query(
    `insert into public.webhook_delivery_attempts (delivery_id, webhook_id, user_id, attempt, cause, url, response_time_ms, outcome, created_at)
     select gen_random_uuid(), w.id, w.user_id, 1, $3, w.url, n, $4, now() - $5 * interval '1 hour' - n * interval '1 millisecond'
     from public.webhooks w, generate_series(1, $2::integer) as n where w.id = $1`,
    [webhookId, count, cause, outcome, hoursAgo],
  );
}

describe("the health of a webhook", () => {
  test("webhook health is 0 when all ten attempts failed, although no delivery has failed yet", async (t) => {
    const receiver = await startReceiver(t);
    receiver.answer = () => ({ status: 500 });
    const user = await stage.newUser();
    const webhook = await stage.newWebhook(user, receiver.url);
    const node = stage.start(t);
    await stage.newAgents(user, 10);
    node.webhooks.wake();
    await until(async () => (await healthOf(user))[0]?.retrying === 10, "all wait for a retry");
    const [bad] = await healthOf(user);
    assert.ok(bad);
    const { attempts, delivered, retried, failed, success_rate, p50_ms, pending, retrying } = bad;
    assert.deepEqual(
      { attempts, delivered, retried, failed, success_rate, p50_ms, pending, retrying },
      {
        attempts: 10,
        delivered: 0,
        retried: 10,
        failed: 0,
        success_rate: "0.0000",
        p50_ms: null,
        pending: 0,
        retrying: 10,
      },
    );
    receiver.answer = ({ path }) => ({ status: path === "/gone" ? 404 : 200 });
    await stage.newAgents(user, 5);
    node.webhooks.wake();
    await until(async () => (await healthOf(user))[0]?.delivered === 5, "five are delivered");
    await stage.sql.query("update public.webhooks set url = url || '/gone' where id = $1", [webhook]);
    await stage.newAgents(user, 1);
    node.webhooks.wake();
    await until(async () => (await healthOf(user))[0]?.failed === 1, "one has failed");
    await node.stop();
    const [mixed] = await healthOf(user, webhook);
    assert.deepEqual([mixed?.attempts, mixed?.success_rate], [16, "0.3125"]);
    assert.ok((mixed?.p50_ms ?? -1) >= 0 && (mixed?.p95_ms ?? -1) >= (mixed?.p50_ms ?? 0));
    assert.ok(Math.abs((mixed?.until.getTime() ?? 0) - (mixed?.since.getTime() ?? 0) - 86_400_000) < 1_000);
  });

  test("webhook health covers the requested time without tests", async () => {
    const user = await stage.newUser();
    const webhook = await stage.newWebhook(user, "https://example.test/");
    await addAttempts(webhook, 4);
    await addAttempts(webhook, 3, { outcome: "failed", hoursAgo: 2 });
    await addAttempts(webhook, 2, { outcome: "retrying", hoursAgo: 30 });
    await addAttempts(webhook, 5, { outcome: "failed", cause: "test" });
    const countsIn = async (hours: number | null): Promise<unknown> => {
      const [{ delivered, retried, failed } = { delivered: -1, retried: -1, failed: -1 }] = await healthOf(
        user,
        webhook,
        hours,
      );
      return [delivered, retried, failed];
    };
    assert.deepEqual(await countsIn(1), [4, 0, 0]);
    assert.deepEqual(await countsIn(24), [4, 0, 3]);
    assert.deepEqual(await countsIn(null), [4, 0, 3]);
    assert.deepEqual(await countsIn(48), [4, 2, 3]);
    for (const [hours, counts] of [
      [-2_147_483_648, [4, 0, 0]],
      [2_147_483_647, [4, 2, 3]],
    ] as const)
      assert.deepEqual(await countsIn(hours), counts, `${hours} hours`);
    const [none] = await healthOf(user, await stage.newWebhook(user, "https://example.test/"));
    assert.deepEqual([none?.attempts, none?.success_rate, none?.p95_ms], [0, null, null]);
  });

  test("webhook health is visible to its owner only", async () => {
    const [user, stranger] = [await stage.newUser(), await stage.newUser()];
    const webhook = await stage.newWebhook(user, "https://example.test/");
    await addAttempts(webhook, 1);
    assert.deepEqual(
      (await healthOf(user)).map(({ webhook_id }) => webhook_id),
      [webhook],
    );
    assert.deepEqual(await healthOf(stranger), []);
    assert.deepEqual(await healthOf(stranger, webhook), []);
  });

  test("webhook health reads a bounded number of index entries and returns the start of the counted time", async () => {
    const user = await stage.newUser();
    const webhook = await stage.newWebhook(user, "https://example.test/");
    await addAttempts(webhook, 25_000);
    await stage.sql.query("vacuum analyze public.webhook_delivery_attempts");
    const [health] = await healthOf(user, webhook);
    assert.deepEqual([health?.attempts, health?.p50_ms, health?.p95_ms], [20_000, 10_000, 19_000]);
    assert.ok((health?.until.getTime() ?? 0) - (health?.since.getTime() ?? 0) < 3_600_000);
    const plan = (
      await asUser<{ "QUERY PLAN": string }>(
        user,
        "explain (analyze, costs off) select * from public.webhook_health($1)",
        [webhook],
      )
    )
      .map((line) => line["QUERY PLAN"])
      .join("\n");
    // Partitions have indexes of their own.
    assert.match(plan, /Index Only Scan using webhook_delivery_attempts_\w*webhook_id\w*_idx/);
    assert.doesNotMatch(plan, /Seq Scan on webhook_delivery_attempts/);
  });
});

interface AttemptCounts {
  readonly since: Date;
  readonly until: Date;
  readonly delivered: number;
  readonly retried: number;
  readonly failed: number;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  readonly slowest_ms: number | null;
  readonly is_complete: boolean;
}

describe("the attempts of a webhook over time", () => {
  test("each period has its own attempts, without tests, and only the owner reads them", async () => {
    const user = await stage.newUser();
    const webhook = await stage.newWebhook(user, "https://receiver.example/");
    await addAttempts(webhook, 10, { hoursAgo: 1 });
    await addAttempts(webhook, 4, { hoursAgo: 1, outcome: "retrying" });
    await addAttempts(webhook, 3, { hoursAgo: 1, cause: "test" });
    await addAttempts(webhook, 2, { hoursAgo: 3, outcome: "failed" });
    await addAttempts(webhook, 5, { hoursAgo: 30 });
    const count = (userId: string, periods: number) =>
      asUser<AttemptCounts>(
        userId,
        "select * from public.webhook_attempt_counts($1, now() - interval '4 hours', now(), $2)",
        [webhook, periods],
      );
    const rows = await count(user, 4);
    assert.deepEqual(
      rows.map(({ delivered, retried, failed, slowest_ms, is_complete }) => [
        delivered,
        retried,
        failed,
        slowest_ms,
        is_complete,
      ]),
      [
        [0, 0, 2, 2, true],
        [0, 0, 0, null, true],
        [10, 4, 0, 10, true],
        [0, 0, 0, null, true],
      ],
    );
    assert.deepEqual([rows[2]?.p50_ms, rows[2]?.p95_ms], [4, 10]);
    assert.deepEqual(rows[0]?.until, rows[1]?.since);
    assert.equal((await count(user, 1_000)).length, 100);
    assert.deepEqual(await count(await stage.newUser(), 4), []);
  });

  test("a period counts a limited number of attempts and says so", async () => {
    const user = await stage.newUser();
    const webhook = await stage.newWebhook(user, "https://receiver.example/");
    await addAttempts(webhook, 10_001);
    const [row] = await asUser<AttemptCounts>(
      user,
      "select * from public.webhook_attempt_counts($1, now() - interval '1 hour', now() + interval '1 minute', 1)",
      [webhook],
    );
    assert.deepEqual([row?.delivered, row?.is_complete], [10_000, false]);
  });
});
