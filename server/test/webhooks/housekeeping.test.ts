import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
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

/** Runs the housekeeping worker alone, so that no other worker changes its rows. */
async function keepUntil(condition: () => Promise<boolean>, webhookQueueLimit = 0): Promise<void> {
  const { webhooks } = stage.open({ settings: { webhookQueueLimit }, times: { housekeepingIntervalMs: 50 } });
  const stopping = new AbortController();
  const running = webhooks.workers.find(({ name }) => name === "webhook-keeper")?.run(stopping.signal);
  await until(condition, "the housekeeping worker is done");
  stopping.abort();
  await running;
}

const one = async <Row>(text: string, values: readonly unknown[]): Promise<Row | undefined> =>
  (await stage.rows<Row>(text, values))[0];

/** Inserts rows with the ids and times of that many days ago: ids start with their time. */
const OLD_ID = `(lpad(to_hex(floor(extract(epoch from now() - $2 * interval '1 day') * 1000)::bigint), 12, '0')
  || '7' || substr(md5(random()::text), 1, 3) || '8' || substr(md5(random()::text), 1, 15))::uuid`;

async function insertDeliveries(webhook: string, days: number, status: string, count: number): Promise<void> {
  await stage.sql.query(
    `insert into public.webhook_deliveries (id, webhook_id, user_id, event_id, event_type, payload, status, delivered_at, created_at)
     select ${OLD_ID}, w.id, w.user_id, gen_random_uuid(), 'agent.created', '{}', $3,
       case when $3 = 'delivered' then now() end, now() - $2 * interval '1 day'
     from public.webhooks w, generate_series(1, $4) where w.id = $1`,
    [webhook, days, status, count],
  );
}

describe("webhook housekeeping", () => {
  test("housekeeping deletes old finished deliveries and attempts in batches, and nothing else", async () => {
    const webhook = await stage.newWebhook(await stage.newUser(), "https://example.test/");
    await insertDeliveries(webhook, 40, "delivered", 1_300);
    await insertDeliveries(webhook, 40, "failed", 3);
    await insertDeliveries(webhook, 40, "pending", 2);
    await insertDeliveries(webhook, 20, "delivered", 4);
    await stage.sql.query(
      `insert into public.webhook_delivery_attempts (id, delivery_id, webhook_id, user_id, attempt, cause, url, created_at)
       select ${OLD_ID}, gen_random_uuid(), w.id, w.user_id, 1, 'schedule', w.url, now() - $2 * interval '1 day'
       from public.webhooks w, generate_series(1, 700) where w.id = $1`,
      [webhook, 31],
    );
    const left = async (): Promise<unknown> =>
      one(
        `select (select count(*)::integer from public.webhook_deliveries where webhook_id = $1) as deliveries,
           (select count(*)::integer from public.webhook_delivery_attempts where webhook_id = $1) as attempts`,
        [webhook],
      );
    await keepUntil(async () => JSON.stringify(await left()) === JSON.stringify({ deliveries: 6, attempts: 0 }));
    const statuses = await stage.rows<{ status: string }>(
      "select distinct status from public.webhook_deliveries where webhook_id = $1 order by status",
      [webhook],
    );
    assert.deepEqual(
      statuses.map(({ status }) => status),
      ["delivered", "pending"],
    );
  });

  test("housekeeping fails deliveries that waited three days for a disabled webhook", async () => {
    const webhook = await stage.newWebhook(await stage.newUser(), "https://example.test/", { is_active: false });
    await insertDeliveries(webhook, 5, "pending", 2);
    await stage.sql.query(
      `insert into private.webhook_queue (delivery_id, webhook_id, event_seq, run_at)
       select id, webhook_id, 1, now() - case when row_number() over () = 1 then interval '4 days' else interval '2 days' end
       from public.webhook_deliveries where webhook_id = $1`,
      [webhook],
    );
    await stage.sql.query(
      "insert into private.webhook_endpoint_queues (webhook_id, paused_until) values ($1, 'infinity')",
      [webhook],
    );
    const statuses = async (): Promise<string[]> =>
      (
        await stage.rows<{ status: string }>(
          "select status from public.webhook_deliveries where webhook_id = $1 order by status",
          [webhook],
        )
      ).map(({ status }) => status);
    await keepUntil(async () => (await statuses()).includes("failed"));
    assert.deepEqual(await statuses(), ["failed", "pending"]);
    assert.equal((await stage.rows("select 1 from private.webhook_queue where webhook_id = $1", [webhook])).length, 1);
  });

  test("housekeeping makes an overdue queue and the queue of a deleted webhook due", async () => {
    const webhook = await stage.newWebhook(await stage.newUser(), "https://example.test/");
    await insertDeliveries(webhook, 0, "pending", 1);
    await stage.sql.query(
      "insert into private.webhook_queue (delivery_id, webhook_id, event_seq) select id, webhook_id, 1 from public.webhook_deliveries where webhook_id = $1",
      [webhook],
    );
    const gone = randomUUID();
    await stage.sql.query(
      "insert into private.webhook_endpoint_queues (webhook_id, next_due_at, paused_until) values ($1, 'infinity', null), ($2, now(), 'infinity')",
      [webhook, gone],
    );
    await keepUntil(
      async () =>
        (
          await stage.rows(
            "select 1 from private.webhook_endpoint_queues where webhook_id = any ($1) and due_at <= now()",
            [[webhook, gone]],
          )
        ).length === 2,
    );
  });

  test("housekeeping disables the fullest webhook of a user over the queue limit and fails its deliveries", async () => {
    const [full, other] = [await stage.newUser(), await stage.newUser()];
    const newQueue = async (userId: string, count: number): Promise<string> => {
      const webhook = await stage.newWebhook(userId, "https://example.test/");
      await insertDeliveries(webhook, 0, "pending", count);
      await stage.sql.query(
        "insert into private.webhook_queue (delivery_id, webhook_id, event_seq) select id, webhook_id, 1 from public.webhook_deliveries where webhook_id = $1",
        [webhook],
      );
      return webhook;
    };
    const [fullest, fuller, unconcerned] = [
      await newQueue(full, 7),
      await newQueue(full, 4),
      await newQueue(other, 10),
    ];
    const waiting = async (webhook: string): Promise<number> =>
      (await stage.rows("select 1 from private.webhook_queue where webhook_id = $1", [webhook])).length;
    await keepUntil(async () => (await waiting(fullest)) === 0, 10);
    const state = (webhook: string): Promise<unknown> =>
      one(
        `select w.is_active, w.disabled_reason, array(select distinct d.status from public.webhook_deliveries d where d.webhook_id = w.id) as statuses
         from public.webhooks w where w.id = $1`,
        [webhook],
      );
    assert.deepEqual(await state(fullest), { is_active: false, disabled_reason: "queue_full", statuses: ["failed"] });
    for (const webhook of [fuller, unconcerned]) {
      assert.deepEqual(await state(webhook), { is_active: true, disabled_reason: null, statuses: ["pending"] });
    }
    assert.deepEqual([await waiting(fuller), await waiting(unconcerned)], [4, 10]);
  });

  test("webhooks of a banned user stay disabled until the ban ends", async () => {
    const user = await stage.newUser();
    const [used, unused] = [
      await stage.newWebhook(user, "https://example.test/"),
      await stage.newWebhook(user, "https://example.test/", { is_active: false }),
    ];
    const isActive = async (webhook: string): Promise<unknown> =>
      one("select is_active, disabled_reason from public.webhooks where id = $1", [webhook]);
    const ban = (until: string): Promise<unknown> =>
      stage.sql.query(`update auth.users set banned_until = ${until} where id = $1`, [user]);
    await ban("now() + interval '1 hour'");
    const banned = { is_active: false, disabled_reason: "account_banned" };
    assert.deepEqual(await isActive(used), banned);
    await stage.newAgents(user);
    assert.equal((await stage.rows("select 1 from private.events where $1 = any (audience)", [user])).length, 0);

    const marker = await stage.newUser();
    const swept = await stage.newWebhook(marker, "https://example.test/", { is_active: false });
    await stage.sql.query("update public.webhooks set disabled_reason = 'account_banned' where id = $1", [swept]);
    const isSwept = async (): Promise<boolean> => JSON.stringify(await isActive(swept)).includes("true");
    await keepUntil(isSwept);
    assert.deepEqual(await isActive(used), banned);

    await ban("now() - interval '1 second'");
    await keepUntil(async () => JSON.stringify(await isActive(used)).includes("true"));
    assert.deepEqual(await isActive(used), { is_active: true, disabled_reason: null });
    assert.deepEqual(await isActive(unused), { is_active: false, disabled_reason: null });
  });

  test("housekeeping deletes secrets whose grace period has ended", async () => {
    const webhook = await stage.newWebhook(await stage.newUser(), "https://example.test/");
    await stage.sql.query(
      "insert into private.webhook_previous_secrets values ($1, 'old', now() - interval '1 second'), ($1, 'new', now() + interval '1 day')",
      [webhook],
    );
    const secrets = async (): Promise<string[]> =>
      (
        await stage.rows<{ secret: string }>(
          "select secret from private.webhook_previous_secrets where webhook_id = $1",
          [webhook],
        )
      ).map(({ secret }) => secret);
    await keepUntil(async () => (await secrets()).length === 1);
    assert.deepEqual(await secrets(), ["new"]);
  });
});
