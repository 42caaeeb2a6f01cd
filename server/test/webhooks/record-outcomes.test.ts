import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { openDatabase } from "../../src/db/index.ts";
import { Recorder } from "../../src/webhooks/dispatcher/recorder.ts";
import { fanOutEvents } from "../../src/webhooks/sql/fan-out-events.ts";
import { type AttemptRecord, recordOutcomes } from "../../src/webhooks/sql/record-outcomes.ts";
import { silentObserver } from "../support/silent-observer.ts";
import { openStage, type Stage } from "./support/stage.ts";

const RULE = { failingDays: 5, minFailures: 20, warnAfterDays: 1 };
const URL = "https://example.test/";
const DELIVERED = {
  attempt: 1,
  url: URL,
  statusCode: 200,
  responseBody: "ok",
  isTruncated: false,
  errorCode: null,
  error: null,
  responseTimeMs: 1,
  status: "delivered",
  retryDelayMs: null,
  pauseMs: null,
  shouldDisable: false,
} as const satisfies Partial<AttemptRecord>;
const RETRYING = { ...DELIVERED, statusCode: 500, status: "retrying", retryDelayMs: 3_600_000 } as const;
const FAILED = { ...DELIVERED, statusCode: 400, status: "failed" } as const;

describe("recording outcomes", () => {
  const closers: (() => Promise<void>)[] = [];
  let stage: Stage;
  let database: ReturnType<typeof openDatabase>;

  before(async () => {
    stage = await openStage({ after: (close) => void closers.push(close) });
    const { adminUrl: url, masterKey } = stage.database;
    database = openDatabase({ url, masterKey, poolSize: 2, observer: silentObserver });
    stage.closers.after(() => database.close());
  });
  after(async () => {
    for (const close of closers) await close();
  });

  /** Deliveries of new webhooks, one each, in the order of the webhooks. */
  async function claim(count: number): Promise<{ id: string; webhookId: string; claim: string }[]> {
    const user = await stage.newUser();
    const webhooks: string[] = [];
    for (let at = 0; at < count; at += 1) webhooks.push(await stage.newWebhook(user, URL));
    await stage.newAgents(user, 1);
    const newClaim = randomUUID();
    const { claimed } = await fanOutEvents(database.service, 200, 0, {
      claim: newClaim,
      leaseMs: 60_000,
      maxRows: 100,
      endpointCapacity: 10,
      capacityByWebhook: new Map(),
      fullUserIds: [],
      sendLimit: 0,
    });
    assert.equal(claimed.length, count);
    return webhooks.map((webhookId) => {
      const { id } = claimed.find((one) => one.webhookId === webhookId) ?? { id: "" };
      return { id, webhookId, claim: newClaim };
    });
  }

  test("one batch records successes, retries and failures, and skips a delivery of another claim", async () => {
    const claimed = await claim(4);
    const outcomes: readonly Omit<AttemptRecord, "deliveryId" | "claim">[] = [DELIVERED, RETRYING, FAILED, DELIVERED];
    const records = claimed.map((one, at) => ({
      ...(outcomes[at] ?? DELIVERED),
      deliveryId: one.id,
      claim: at === 3 ? randomUUID() : one.claim,
    }));
    assert.deepEqual(await recordOutcomes(database.service, records.toReversed(), RULE), []);
    const rows = await stage.rows(
      `select d.status, d.attempts,
         (select count(*)::integer from public.webhook_delivery_attempts a where a.delivery_id = d.id) as recorded,
         q.delivery_id is not null as waits, q.claim is not null as is_claimed,
         coalesce(q.run_at > now() + interval '59 min', false) as is_later,
         queue.failed_in_a_row
       from unnest($1::uuid[]) with ordinality as given (id, place)
       join public.webhook_deliveries d on d.id = given.id
       join private.webhook_endpoint_queues queue on queue.webhook_id = d.webhook_id
       left join private.webhook_queue q on q.delivery_id = d.id
       order by given.place`,
      [claimed.map(({ id }) => id)],
    );
    const row = { attempts: 1, recorded: 1, waits: false, is_claimed: false, is_later: false, failed_in_a_row: 0 };
    assert.deepEqual(rows, [
      { ...row, status: "delivered" },
      { ...row, status: "retrying", waits: true, is_later: true },
      { ...row, status: "failed", failed_in_a_row: 1 },
      { ...row, status: "pending", attempts: 0, recorded: 0, waits: true, is_claimed: true },
    ]);
  });

  test("a record keeps every character of a response and an error, and the columns that are false or null", async () => {
    const [first, second] = await claim(2);
    assert.ok(first && second);
    const text = 'Grüße 🐝 "quoted" \\ {1,2} (3)\n\t\u0001 null';
    const failed = { ...FAILED, responseBody: text, isTruncated: true, errorCode: "reset", error: text };
    const records = [
      { ...failed, deliveryId: first.id, claim: first.claim },
      { ...DELIVERED, responseBody: null, statusCode: null, deliveryId: second.id, claim: second.claim },
    ];
    await recordOutcomes(database.service, records, RULE);
    const rows = await stage.rows(
      `select status_code, response_body, response_truncated, error_code, error, response_time_ms, url, outcome
       from public.webhook_delivery_attempts where delivery_id = any ($1) order by array_position($1, delivery_id)`,
      [[first.id, second.id]],
    );
    const row = { response_time_ms: 1, url: URL };
    const none = { status_code: null, response_body: null, error_code: null, error: null };
    assert.deepEqual(rows, [
      {
        ...row,
        status_code: 400,
        response_body: text,
        response_truncated: true,
        error_code: "reset",
        error: text,
        outcome: "failed",
      },
      { ...row, ...none, response_truncated: false, outcome: "delivered" },
    ]);
  });

  test("a flush records what is pending without its timer", async (t) => {
    const [delivery] = await claim(1);
    assert.ok(delivery);
    // The timer of the recorder never ends.
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const tools = { pool: database.service, observer: silentObserver, disableRule: RULE };
    const recorder = new Recorder(tools, () => {});
    const settled = Promise.withResolvers<void>();
    const record = { ...DELIVERED, deliveryId: delivery.id, claim: delivery.claim };
    recorder.add({ record, isLeased: () => true, onSettled: settled.resolve });
    recorder.flush();
    await settled.promise;
    const rows = await stage.rows("select status from public.webhook_deliveries where id = $1", [delivery.id]);
    assert.deepEqual(rows, [{ status: "delivered" }]);
  });
});
