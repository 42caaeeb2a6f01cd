import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { isDeepStrictEqual } from "node:util";
import pg from "pg";
import { keepPartitions, withClient } from "../../src/db/index.ts";
import { PARTITIONED_TABLES } from "../../src/webhooks/sql/partitioned-tables.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { joinPartitions } from "../support/join-partitions.ts";
import { silentObserver } from "../support/silent-observer.ts";
import { until } from "../support/until.ts";

const [DELIVERIES, ATTEMPTS] = PARTITIONED_TABLES as [(typeof PARTITIONED_TABLES)[0], (typeof PARTITIONED_TABLES)[0]];
const RETENTION_MS = 30 * 86_400_000;

describe("partitions", () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let userId: string;
  let webhookId: string;
  const notes: { name: string; fields: unknown }[] = [];
  const closers: (() => Promise<void>)[] = [];

  before(async () => {
    database = await createTestDatabase({ after: (close) => closers.push(close) });
    pool = new pg.Pool({ connectionString: database.url("sb_service") });
    closers.push(() => pool.end());
    userId = randomUUID();
    await withClient(database.adminUrl, (admin) =>
      admin.query("insert into auth.users (id, email) values ($1, 'ada@example.test')", [userId]),
    );
    webhookId = await insertWebhook();
  });
  after(async () => {
    for (const close of closers.reverse()) await close();
  });

  const keep = async (table: (typeof PARTITIONED_TABLES)[0], minBytes = 0): Promise<void> => {
    const observer = { note: (name: string, fields: unknown) => void notes.push({ name, fields }) };
    await keepPartitions(
      { pool, ownerUrl: database.ownerUrl, minBytes, observer: { ...silentObserver, ...observer } },
      table,
      RETENTION_MS,
    );
    const failed = notes.findLast(({ name }) => name === "database.partitions_failed");
    assert.equal(failed?.fields, undefined);
  };
  it("are not reported each time while the database is away, because the caller fails too", async () => {
    const away = new pg.Pool({ connectionString: "postgres://nobody@127.0.0.1:1/none" });
    const noted: string[] = [];
    const observer = { ...silentObserver, note: (name: string) => void noted.push(name) };
    const options = { pool: away, ownerUrl: database.ownerUrl, observer };
    await assert.rejects(keepPartitions(options, DELIVERIES, RETENTION_MS), { code: "ECONNREFUSED" });
    assert.deepEqual(noted, []);
    await away.end();
  });

  const rebuild = async (): Promise<void> => {
    await database.owner.query("delete from private.webhook_queue");
    await joinPartitions(database.owner, "webhook_deliveries");
  };
  const rowsOf = async <Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
    (await database.owner.query(text, [...values])).rows as Row[];
  const insertWebhook = async (): Promise<string> => {
    const [row] = await rowsOf<{ id: string }>(
      `insert into public.webhooks (user_id, name, url, events) values ($1, 'hook', 'https://example.test/', '{agent.created}')
       returning id`,
      [userId],
    );
    return row?.id ?? "";
  };
  /** Inserts a delivery with the id and time of that many days ago. */
  const insertDelivery = async (daysAgo: number, status = "failed", webhook = webhookId): Promise<string> => {
    const [row] = await rowsOf<{ id: string }>(
      `insert into public.webhook_deliveries (id, webhook_id, user_id, event_id, event_type, payload, status, created_at)
       select overlay(private.new_id()::text placing left(private.get_first_id(t.at)::text, 13) from 1 for 13)::uuid, $1, $2,
         private.new_id(), 'agent.created', '{}', $3, t.at
       from (select now() - $4 * interval '1 day' as at) as t returning id`,
      [webhook, userId, status, daysAgo],
    );
    return row?.id ?? "";
  };
  const closeAt = async (table: string, daysAgo: number): Promise<void> => {
    const [row] = await rowsOf<{ is_closed: boolean }>(
      "select private.close_last_partition($1, private.get_first_id(now() - $2 * interval '1 day')) as is_closed",
      [table, daysAgo],
    );
    assert.equal(row?.is_closed, true);
  };
  const placeOf = async (id: string): Promise<string | undefined> =>
    (
      await rowsOf<{ place: string }>(
        "select tableoid::regclass::text as place from public.webhook_deliveries where id = $1",
        [id],
      )
    )[0]?.place;
  const countPartitions = async (table: string): Promise<number> =>
    (await rowsOf("select from private.list_partitions($1)", [table])).length;

  it("are two in a small table", async () => {
    await keep(ATTEMPTS, 1_000_000);
    assert.equal(await countPartitions("public.webhook_delivery_attempts"), 2);
  });

  it("have no grants, and no role but the owner enters their schema", async () => {
    const granted = await rowsOf(
      `select c.oid::regclass::text, r.rolname from pg_class c cross join pg_roles r
       where c.relnamespace = 'partitions'::regnamespace and c.relkind = 'r'
         and r.rolname in ('anon', 'authenticated', 'service_role', 'sb_user', 'sb_service')
         and (has_table_privilege(r.oid, c.oid, 'select, insert, update, delete') or has_schema_privilege(r.oid, 'partitions', 'usage'))`,
    );
    assert.deepEqual(granted, []);
  });

  it("take existing rows over where they are, while rows are written and read", async () => {
    await rebuild();
    const old = await insertDelivery(3);
    const before = await rowsOf("select id, ctid::text from public.webhook_deliveries order by id");
    let isDone = false;
    let written = 0;
    const write = async (): Promise<void> => {
      while (!isDone) {
        await pool.query(
          `insert into public.webhook_deliveries (webhook_id, user_id, event_id, event_type, payload)
           values ($1, $2, private.new_id(), 'agent.created', '{}')`,
          [webhookId, userId],
        );
        written += 1;
      }
    };
    const writing = [write(), write()];
    await until(async () => written > 0, "a row is written");
    await until(async () => {
      await keep(DELIVERIES);
      return (await countPartitions(DELIVERIES.name)) === 2;
    }, "the partition is closed");
    const atClose = written;
    await until(async () => written > atClose, "a row is written afterwards");
    isDone = true;
    await Promise.all(writing);
    assert.equal(await placeOf(old), "partitions.webhook_deliveries_first");
    const [count] = await rowsOf<{ count: number }>("select count(*)::integer from public.webhook_deliveries");
    assert.equal(count?.count, written + 1);
    const after = await rowsOf("select id, ctid::text from public.webhook_deliveries where id = $1", [old]);
    assert.ok(isDeepStrictEqual(after, before), "the row was not moved");
    assert.deepEqual(
      await rowsOf("select conname from pg_constraint where conname = 'partition_bound'"),
      [],
      "no constraint is left that could reject a later row",
    );
    await keep(DELIVERIES);
    assert.equal(await countPartitions(DELIVERIES.name), 2, "nothing is due");
  });

  it("stay open when a row has an id of the future, and accept rows", async () => {
    await database.owner.query(
      `insert into public.webhook_delivery_attempts (id, delivery_id, webhook_id, user_id, attempt, cause, url)
       values ('f0000000-0000-4000-8000-000000000000', $1, $2, $3, 1, 'test', 'https://example.test/')`,
      [randomUUID(), webhookId, userId],
    );
    await keep(ATTEMPTS);
    assert.equal(notes.at(-1)?.name, "database.partition_open");
    assert.equal(await countPartitions(ATTEMPTS.name), 2);
    await database.owner.query("delete from public.webhook_delivery_attempts");
  });

  it("are dropped when all rows are old, but not with deliveries that are not finished", async () => {
    // As they are after weeks.
    await rebuild();
    for (const daysAgo of [47, 40, 33, 26]) await closeAt(DELIVERIES.name, daysAgo);
    const [first, second, third, kept] = [
      await insertDelivery(50),
      await insertDelivery(42, "pending"),
      await insertDelivery(35),
      await insertDelivery(31),
    ];
    await database.owner.query(
      "insert into private.webhook_queue (delivery_id, webhook_id, event_seq) values ($1, $2, 1)",
      [second, webhookId],
    );
    await keep(DELIVERIES);
    assert.equal(await placeOf(first), undefined);
    assert.ok(await placeOf(second), "pending");
    assert.equal(await placeOf(third), undefined);
    assert.ok(await placeOf(kept), "in a partition that also has newer rows");
    await pool.query("select private.prune_webhook_rows($1, interval '30 days', $2, 10)", [
      DELIVERIES.name,
      "00000000-0000-0000-0000-000000000000",
    ]);
    assert.ok(await placeOf(kept), "single rows of that partition are not deleted");

    await database.owner.query("delete from private.webhook_queue");
    await keep(DELIVERIES);
    assert.ok(await placeOf(second), "a pending row without a place in the queue stays");
    await database.owner.query("update public.webhook_deliveries set status = 'failed' where id = $1", [second]);
    await keep(DELIVERIES);
    assert.equal(await placeOf(second), undefined);
    const left = await rowsOf(
      "select from pg_class where relnamespace = 'partitions'::regnamespace and relkind = 'r' and not relispartition",
    );
    assert.equal(left.length, 0, "nothing detached is left");
  });

  it("are dropped without a lock that a request waits for", async () => {
    await rebuild();
    for (const daysAgo of [40, -10]) await closeAt(DELIVERIES.name, daysAgo);
    const old = await insertDelivery(41);
    const recent = await insertDelivery(1);
    const other = await insertWebhook();
    const open = new pg.Client({ connectionString: database.url("sb_service") });
    await open.connect();
    try {
      await open.query("begin");
      await open.query("update public.webhooks set name = 'open' where id = $1", [webhookId]);
      await open.query("select from public.webhook_deliveries");
      let isKept = false;
      // Nothing is closed: the table is small, and two partitions remain.
      const keeping = keep(DELIVERIES, Infinity).finally(() => {
        isKept = true;
      });
      await until(
        async () => isKept || (await rowsOf("select from pg_locks where not granted")).length > 0,
        "the detachment waits for the open transaction",
      );
      await withClient(database.url("sb_service"), async (client) => {
        await client.query("set lock_timeout = 1");
        await client.query("update public.webhook_deliveries set attempts = 1 where id = $1", [recent]);
        await client.query(
          "insert into public.webhooks (user_id, name, url, events) select user_id, name, url, events from public.webhooks where id = $1",
          [other],
        );
        await client.query(
          "select count(*) from public.webhook_deliveries d join public.webhooks w on w.id = d.webhook_id",
        );
        await client.query("delete from public.webhooks where id = $1", [other]);
      });
      assert.equal(isKept, false);
      await open.query("commit");
      await keeping;
    } finally {
      await open.end();
    }
    assert.equal(await placeOf(old), undefined);
    assert.ok(await placeOf(recent));
  });

  it("that a killed node has detached are dropped, or attached again when a delivery was sent again", async () => {
    await rebuild();
    for (const daysAgo of [47, 40]) await closeAt(DELIVERIES.name, daysAgo);
    const [first, second] = [await insertDelivery(50), await insertDelivery(42)];
    await database.owner.query("update public.webhook_deliveries set status = 'pending' where id = $1", [second]);
    for (const { partition } of await rowsOf<{ partition: string }>(
      "select partition::text from private.list_partitions($1) where upper_id is not null",
      [DELIVERIES.name],
    ))
      await database.owner.query(`alter table public.webhook_deliveries detach partition ${partition} concurrently`);
    assert.equal(await placeOf(second), undefined);
    await keep(DELIVERIES);
    assert.equal(await placeOf(first), undefined);
    assert.ok(await placeOf(second), "attached again");
  });

  it("lose the rows of a deleted webhook and of a deleted account", async () => {
    const webhook = await insertWebhook();
    const ids = [await insertDelivery(41, "failed", webhook), await insertDelivery(-30, "failed", webhook)];
    assert.notEqual(await placeOf(ids[0] ?? ""), await placeOf(ids[1] ?? ""));
    await database.owner.query("delete from public.webhooks where id = $1", [webhook]);
    for (const id of ids) assert.equal(await placeOf(id), undefined);
    await database.owner.query("delete from auth.users where id = $1", [userId]);
    assert.deepEqual(await rowsOf("select id from public.webhook_deliveries"), []);
  });
});
