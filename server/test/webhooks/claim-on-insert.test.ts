import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { openDatabase } from "../../src/db/index.ts";
import { LostClaims } from "../../src/webhooks/dispatcher/lost-claims.ts";
import { type FannedOut, fanOutEvents } from "../../src/webhooks/sql/fan-out-events.ts";
import { silentObserver } from "../support/silent-observer.ts";
import { startReceiver } from "./support/receiver.ts";
import { openStage, type Stage } from "./support/stage.ts";
import { until } from "../support/until.ts";

const REQUEST = {
  leaseMs: 30_000,
  maxRows: 100,
  endpointCapacity: 3,
  capacityByWebhook: new Map<string, number>(),
  fullUserIds: [],
  sendLimit: 0,
};

describe("claim on insert", () => {
  const closers: (() => Promise<void>)[] = [];
  let stage: Stage;
  let database: ReturnType<typeof openDatabase>;
  let user: string;
  let webhook: string;

  before(async () => {
    stage = await openStage({ after: (close) => void closers.push(close) });
    const { adminUrl: url, masterKey } = stage.database;
    database = openDatabase({ url, masterKey, poolSize: 2, observer: silentObserver });
    stage.closers.after(() => database.close());
  });
  after(async () => {
    for (const close of closers) await close();
  });

  async function prepare(): Promise<void> {
    for (const table of [
      "public.webhooks",
      "private.webhook_queue",
      "private.webhook_endpoint_queues",
      "private.events",
    ])
      await stage.sql.query(`delete from ${table}`);
    user = await stage.newUser();
    webhook = await stage.newWebhook(user, "https://example.test/");
  }
  const fanOut = (request: Partial<typeof REQUEST> = {}): Promise<FannedOut> =>
    fanOutEvents(database.service, 200, 0, { claim: randomUUID(), ...REQUEST, ...request });

  test("a fan-out without events claims nothing and still reports enabled webhooks", async () => {
    await prepare();
    const nothing = { events: 0, unclaimed: 0, fed: 0, hasResumptions: false, claimed: [] };
    assert.deepEqual(await fanOut(), nothing);
    await stage.sql.query("update public.webhooks set is_active = false where id = $1", [webhook]);
    await stage.sql.query("update public.webhooks set is_active = true where id = $1", [webhook]);
    assert.deepEqual(await fanOut(), { ...nothing, hasResumptions: true });
    await stage.sql.query("delete from private.webhook_resumptions");
  });

  test("a fan-out claims the oldest deliveries up to the capacity and leaves the others unclaimed", async () => {
    await prepare();
    const agents = await stage.newAgents(user, 5);
    const { events, unclaimed, claimed } = await fanOut();
    assert.deepEqual([events, unclaimed], [5, 2]);
    const named = claimed.map(({ body }) => (JSON.parse(body) as { data: { agent_id: string } }).data);
    assert.deepEqual(
      named.map(({ agent_id }) => agent_id),
      agents.slice(0, 3),
    );
    const [first] = claimed;
    assert.deepEqual([first?.webhookId, first?.attempts, first?.cause], [webhook, 0, "schedule"]);
    const bodies = await stage.rows<{ id: string; body: string }>(
      "select id, payload::text as body from public.webhook_deliveries where id = any ($1)",
      [claimed.map(({ id }) => id)],
    );
    for (const delivery of claimed) assert.equal(bodies.find(({ id }) => id === delivery.id)?.body, delivery.body);
  });

  test("a fan-out claims nothing for an endpoint with due deliveries, so that none is overtaken", async () => {
    await prepare();
    await stage.newAgents(user, 5);
    await fanOut();
    await stage.newAgents(user, 2);
    assert.deepEqual((await fanOut()).claimed, []);
  });

  test("a fan-out claims more while all earlier deliveries are claimed", async () => {
    await prepare();
    await stage.newAgents(user, 3);
    assert.equal((await fanOut()).claimed.length, 3);
    await stage.newAgents(user, 2);
    assert.equal((await fanOut()).claimed.length, 2);
    const [queue] = await stage.rows<{ is_due: boolean }>(
      "select next_due_at <= now() as is_due from private.webhook_endpoint_queues",
    );
    assert.equal(queue?.is_due, false);
  });

  test("a traced fan-out copies the trace context of events, and survives data that names no run", async () => {
    await prepare();
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    await stage.sql.query(
      `insert into private.events (type, data, audience, traceparent)
       values ('agent.created', '{}', $1, $2), ('agent.created', '{"run_id": "text"}', $1, null),
         ('agent.created', '[]', $1, null)`,
      [[user], traceparent],
    );
    const { claimed } = await fanOutEvents(database.service, 200, 0, { claim: randomUUID(), ...REQUEST }, true);
    assert.deepEqual(
      claimed.map((delivery) => delivery.traceparent),
      [traceparent, null, null],
    );
    const stored = await stage.rows<{ traceparent: string | null }>(
      "select traceparent from private.webhook_queue order by event_seq",
    );
    assert.deepEqual(
      stored.map((row) => row.traceparent),
      [traceparent, null, null],
    );
  });

  const exclusions: readonly [string, () => Promise<FannedOut>][] = [
    ["for an endpoint without capacity", () => fanOut({ capacityByWebhook: new Map([[webhook, 0]]) })],
    ["for a user at the limit", () => fanOut({ fullUserIds: [user] as never })],
    ["beyond the total capacity", () => fanOut({ maxRows: 0 })],
    ["without a claim request", () => fanOutEvents(database.service, 200, 0, null)],
    [
      "when the schedule starts with a delay",
      () => fanOutEvents(database.service, 200, 1_000, { claim: randomUUID(), ...REQUEST }),
    ],
  ];
  for (const [when, run] of exclusions) {
    test(`a fan-out claims nothing ${when}`, async () => {
      await prepare();
      await stage.newAgents(user, 2);
      const { claimed, unclaimed, events } = await run();
      assert.deepEqual([claimed.length, unclaimed, events], [0, 2, 2]);
    });
  }

  test("a fan-out claims nothing while the endpoint is paused", async () => {
    await prepare();
    await stage.newAgents(user);
    await fanOut();
    await stage.sql.query("update private.webhook_endpoint_queues set paused_until = now() + interval '1 minute'");
    await stage.newAgents(user);
    assert.deepEqual((await fanOut()).claimed, []);
  });

  test("deliveries of a lost claim are released at once", async (t) => {
    await prepare();
    const receiver = await startReceiver(t);
    await stage.sql.query("update public.webhooks set url = $1", [receiver.url]);
    await stage.newAgents(user, 3);
    const claim = randomUUID();
    assert.equal((await fanOutEvents(database.service, 200, 0, { ...REQUEST, claim })).claimed.length, 3);
    const lost = new LostClaims(database.service);
    lost.add(claim);
    await lost.release();
    const node = stage.start(t);
    await receiver.waitFor(3);
    await until(async () => (await stage.rows("select 1 from private.webhook_queue")).length === 0, "all is recorded");
    await node.stop();
    assert.equal(receiver.received.length, 3);
  });
});
