import { randomUUID } from "node:crypto";
import type pg from "pg";
import { claimDueDeliveries } from "../../../src/webhooks/sql/claim-due-deliveries.ts";
import { fanOutEvents } from "../../../src/webhooks/sql/fan-out-events.ts";
import { pruneBatch } from "../../../src/webhooks/sql/prune-batch.ts";
import { type AttemptRecord, recordOutcomes } from "../../../src/webhooks/sql/record-outcomes.ts";

/** Pages of tables and indexes that each statement of the queue reads. */
export interface QueueCosts {
  readonly fanOut: number;
  readonly claim: number;
  readonly record: number;
  readonly prune: number;
}

export const QUEUE_TABLES = [
  "auth.users",
  "public.webhooks",
  "public.webhook_deliveries",
  "public.webhook_delivery_attempts",
  "private.events",
  "private.webhook_queue",
  "private.webhook_endpoint_queues",
  "private.webhook_send_windows",
];
/** The ids of these tables and of their partitions. `$1` is the list of names. */
export const QUEUE_RELATIONS = `select coalesce(leaf.relid, name::regclass)::oid
  from unnest($1::text[]) as name left join lateral pg_partition_tree(name::regclass) as leaf on true`;
const USER_ID = "10000000-0000-4000-8000-000000000000";
const EVENTS = 20;
const WEBHOOKS = 5;
const BATCH = 50;
const URL = "https://example.test/";
const REQUEST = {
  leaseMs: 30_000,
  maxRows: BATCH,
  endpointCapacity: EVENTS,
  capacityByWebhook: new Map<string, number>(),
  fullUserIds: [],
  sendLimit: 10_000,
};
const RULE = { failingDays: 5, minFailures: 20, warnAfterDays: 1 };
const RETENTION_DAYS = 30;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

/** Inserts the user whose deliveries are measured. */
export async function insertSubject(admin: pg.Client): Promise<void> {
  await admin.query("insert into auth.users (id, email) values ($1, 'subject@example.test')", [USER_ID]);
  await admin.query(
    `insert into public.webhooks (user_id, name, url, events)
     select $1, 'hook', $3, '{agent.created}' from generate_series(1, $2::integer)`,
    [USER_ID, WEBHOOKS, URL],
  );
}

/** Inserts other users from one number to another, each with a webhook, a delivery that waits for a retry and an old one. */
export async function insertOthers(admin: pg.Client, from: number, to: number): Promise<void> {
  const others = "generate_series($1::integer, $2::integer) as n";
  const id = (kind: number): string => `(lpad(to_hex(n), 8, '0') || '-0000-7000-800${kind}-000000000000')::uuid`;
  const delivery = "insert into public.webhook_deliveries (id, webhook_id, user_id, event_id, event_type, payload, ";
  // Triggers and foreign keys would only take time.
  await admin.query("set session_replication_role = replica");
  for (const statement of [
    `insert into auth.users (id, email) select ${id(1)}, 'other-' || n || '@example.test' from ${others}`,
    `insert into public.webhooks (id, user_id, name, url, events, secret)
     select ${id(2)}, ${id(1)}, 'hook', '${URL}', '{agent.created}', 'whsec_' from ${others}`,
    `${delivery} status, created_at)
     select ${id(3)}, ${id(2)}, ${id(1)}, ${id(4)}, 'agent.created', '{}', 'failed', '2020-01-01' from ${others}`,
    `insert into public.webhook_delivery_attempts
       (id, delivery_id, webhook_id, user_id, attempt, cause, url, outcome, created_at)
     select ${id(5)}, ${id(3)}, ${id(2)}, ${id(1)}, 1, 'schedule', '${URL}', 'failed', '2020-01-01' from ${others}`,
    `${delivery} status)
     select ${id(6)}, ${id(2)}, ${id(1)}, ${id(4)}, 'agent.created', '{}', 'retrying' from ${others}`,
    `insert into private.webhook_queue (delivery_id, webhook_id, event_seq, run_at)
     select ${id(6)}, ${id(2)}, n, now() + interval '1 hour' from ${others}`,
    `insert into private.webhook_endpoint_queues (webhook_id, next_due_at)
     select ${id(2)}, now() + interval '1 hour' from ${others}`,
    `insert into private.webhook_send_windows (user_id, opened_at, sent, granted)
     select ${id(1)}, now(), 1, 1 from ${others}`,
  ])
    await admin.query(statement, [from, to]);
  await admin.query("reset session_replication_role");
}

/** Takes events of the user through the queue, in a transaction that is rolled back. */
export async function measureQueue(client: pg.Client): Promise<QueueCosts> {
  const pool = client as unknown as pg.Pool;
  const count = async (statement: () => Promise<unknown>): Promise<number> => {
    const before = await countPages(client);
    await statement();
    return (await countPages(client)) - before;
  };
  const claim = randomUUID();
  await client.query("begin");
  try {
    await client.query(
      `insert into private.events (type, data, audience)
       select 'agent.created', json_build_object('agent_id', n), array[$1::uuid]
       from generate_series(1, $2::integer) as n`,
      [USER_ID, EVENTS],
    );
    const fanOut = await count(() => fanOutEvents(pool, EVENTS, 0, { ...REQUEST, claim: randomUUID() }));
    await client.query(
      `update private.webhook_endpoint_queues set next_due_at = now()
       where webhook_id in (select id from public.webhooks where user_id = $1)`,
      [USER_ID],
    );
    let records: AttemptRecord[] = [];
    const claiming = await count(async () => {
      const claimed = await claimDueDeliveries(pool, { ...REQUEST, claim }, WEBHOOKS);
      records = claimed.map(({ id }, place) => ({ ...outcomeOf(place), deliveryId: id, claim }));
    });
    const record = await count(() => recordOutcomes(pool, records, RULE));
    const prune = await count(async () => {
      await pruneBatch(pool, "deliveries", RETENTION_DAYS, FIRST_ID, BATCH);
      await pruneBatch(pool, "attempts", RETENTION_DAYS, FIRST_ID, BATCH);
    });
    return { fanOut, claim: claiming, record, prune };
  } finally {
    await client.query("rollback");
  }
}

function outcomeOf(place: number): Omit<AttemptRecord, "deliveryId" | "claim"> {
  const isDelivered = place % 4 > 0;
  return {
    attempt: 1,
    url: URL,
    statusCode: isDelivered ? 200 : 500,
    responseBody: null,
    isTruncated: false,
    errorCode: null,
    error: null,
    responseTimeMs: 1,
    status: isDelivered ? "delivered" : "retrying",
    retryDelayMs: isDelivered ? null : 1_000,
    pauseMs: null,
    shouldDisable: false,
  };
}

/** Reads what this transaction has counted, so that other sessions have no effect. */
async function countPages(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pages: number }>(
    `select sum(pg_stat_get_xact_blocks_fetched(c.oid))::integer as pages
     from pg_class c left join pg_index i on i.indexrelid = c.oid
     where coalesce(i.indrelid, c.oid) in (${QUEUE_RELATIONS})`,
    [QUEUE_TABLES],
  );
  return rows[0]?.pages ?? 0;
}
