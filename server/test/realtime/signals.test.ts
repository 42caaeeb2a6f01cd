import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it, type TestContext } from "node:test";
import { translateScopeError } from "../../src/auth/index.ts";
import { createFollowedTopics, createPrivateTopics } from "../../src/realtime/index.ts";
import { createTestDatabase } from "../support/database.ts";
import { FeedStage, type Node, principalOf } from "./feed-stage.ts";
import { RawClient } from "./support/raw-client.ts";
import { createTokens, openStage, type Stage } from "./support/realtime-stage.ts";
import { openSupabase, subscribed } from "./support/supabase-client.ts";
import { until } from "../support/until.ts";

interface WebhookSignal {
  readonly webhook_id: string;
  readonly delivery_ids: readonly string[] | null;
}

interface AgentSignal {
  readonly swarm_id: string;
  readonly agents: readonly { readonly id: string; readonly status: string }[] | null;
}

const COUNT_SIGNALS = `select count(*)::int as count from pg_logical_slot_peek_binary_changes($1, null, null,
  'proto_version', '1', 'publication_names', 'swarmbase_feed', 'messages', 'true')
  where get_byte(data, 0) = ascii('M') and encode(data, 'escape') like '%swarmbase.signal%'`;

describe("signals", () => {
  const closers: (() => Promise<void>)[] = [];
  const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
  const tokens = createTokens();
  let stage: FeedStage;
  let feed: Node;
  let node: Stage;
  /** Transactions of all databases of the cluster count, and while they run a signal names nothing: only one test lets them. */
  let seesTransactions = false;
  const users: Record<string, string> = {};

  before(async () => {
    stage = new FeedStage(await createTestDatabase(cleanup));
    cleanup.after(() => stage.close());
    for (const name of ["owner", "member", "stranger"]) {
      const id = await stage.newUser();
      users[name] = id;
      tokens.set(name, { principal: principalOf(id) });
    }
    feed = stage.startNode();
    const privateTopics = createPrivateTopics({
      database: feed.database,
      settings: { dbSchemas: ["public"], dbStatementTimeoutMs: 5_000 },
      newId: randomUUID,
      translateEnter: translateScopeError,
    });
    const stored = createFollowedTopics(feed.database.service);
    const followedTopics = {
      ...stored,
      findTransactionBounds: async () =>
        seesTransactions ? await stored.findTransactionBounds() : { oldest: 0n, next: 0n },
    };
    const { authenticate } = tokens;
    node = await openStage(cleanup, { changes: feed.changes, authenticate, privateTopics, followedTopics });
    await until(() => feed.changes.state() === "live");
  });
  after(async () => {
    for (const close of closers) await close();
  });

  const idOf = (name: string): string => users[name] ?? "";

  const follow = async <Signal>(t: TestContext, name: string, topic: string) => {
    const client = openSupabase(t, node.url, { token: () => name });
    await client.realtime.setAuth();
    const received: { event: string; payload: Signal }[] = [];
    const states: string[] = [];
    const channel = client.channel(topic, { config: { private: true, broadcast: { ack: true } } });
    channel.on("broadcast", { event: "*" }, ({ event, payload }) =>
      received.push({ event, payload: payload as Signal }),
    );
    await subscribed(channel);
    return { client, channel, received, states };
  };

  const addDelivery = async (webhookId: string): Promise<{ id: string; claim: string }> => {
    const claim = randomUUID();
    const [row] = await stage.run(
      "internal",
      `with made as (
         insert into public.webhook_deliveries (webhook_id, user_id, event_id, event_type, payload)
         values ($1, $2, gen_random_uuid(), 'agent.created', '{}') returning id)
       insert into private.webhook_queue (delivery_id, webhook_id, event_seq, claim)
       select id, $1, 1, $3::uuid from made returning delivery_id as id`,
      [webhookId, idOf("owner"), claim],
    );
    return { id: String(row?.["id"]), claim };
  };
  const record = async ({ id, claim }: { id: string; claim: string }): Promise<void> => {
    await stage.run(
      "internal",
      `select * from private.record_webhook_attempts(json_build_array(json_build_object('delivery_id', $1::text,
         'claim', $2::text, 'attempt', 1, 'status', 'delivered', 'status_code', 200, 'response_time_ms', 5,
         'url', 'https://example.test/')), failing_days => 5, min_failures => 20, warn_after_days => 1)`,
      [id, claim],
    );
  };
  const isFollowed = async (topic: string): Promise<boolean> =>
    (await stage.run("internal", "select 1 from private.followed_topics where topic = $1", [topic])).length > 0;

  it("the owner of a webhook receives the ids of deliveries with new outcomes", async (t) => {
    const webhook = await stage.listen(idOf("owner"));
    const { received } = await follow<WebhookSignal>(t, "owner", `webhook:${webhook}`);
    const delivery = await addDelivery(webhook);
    await record(delivery);
    const hasIt = () => received.some(({ payload }) => payload.delivery_ids?.includes(delivery.id) === true);
    await until(hasIt);
    assert.ok(received.every(({ event, payload }) => event === "deliveries" && payload.webhook_id === webhook));
  });

  it("the owner of a webhook receives the ids of new deliveries", async (t) => {
    const webhook = await stage.listen(idOf("owner"), ["agent.created"]);
    const { received } = await follow<WebhookSignal>(t, "owner", `webhook:${webhook}`);
    await stage.newAgent(idOf("owner"));
    await stage.run("internal", "select * from private.fan_out_events(100, interval '0')");
    const [row] = await stage.run("internal", "select id from public.webhook_deliveries where webhook_id = $1", [
      webhook,
    ]);
    await until(() => received.some(({ payload }) => payload.delivery_ids?.includes(String(row?.["id"])) === true));
  });

  it("many outcomes in a short time make few signals, and none is lost", async (t) => {
    const webhook = await stage.listen(idOf("owner"));
    const { received } = await follow<WebhookSignal>(t, "owner", `webhook:${webhook}`);
    const deliveries = await Promise.all(Array.from({ length: 30 }, () => addDelivery(webhook)));
    for (const delivery of deliveries) await record(delivery);
    const told = () =>
      new Set(received.flatMap(({ payload }) => payload.delivery_ids ?? deliveries.map(({ id }) => id)));
    await until(() => told().size === deliveries.length);
    assert.ok(received.length <= 10, `${received.length} signals`);
  });

  it("members of a swarm receive the statuses of its agents, and nobody else does", async (t) => {
    const [owner, member] = [idOf("owner"), idOf("member")];
    const swarm = await stage.newSwarm(owner, { [member]: "viewer" });
    const [agent, spare] = [await stage.newAgent(owner), await stage.newAgent(owner)];
    await stage.insert(owner, "swarm_agents", { swarm_id: swarm, agent_id: agent });
    const topic = `swarm-agents:${swarm}`;
    const { received } = await follow<AgentSignal>(t, "member", topic);
    await assert.rejects(follow(t, "stranger", topic), /do not have permissions to read from this Channel topic/);
    await stage.update(owner, "agents", spare, { status: "error" });
    await stage.update(owner, "agents", agent, { status: "thinking" });
    await until(() =>
      received.some(({ payload }) => payload.agents?.some(({ status }) => status === "thinking") === true),
    );
    const statuses = received.flatMap(({ payload }) => payload.agents ?? []);
    assert.deepEqual([...new Set(statuses.map(({ id }) => id))], [agent]);
    assert.ok(received.every(({ event, payload }) => event === "agents" && payload.swarm_id === swarm));
  });

  it("a member who leaves is told, and receives no more statuses", async (t) => {
    const [owner, member] = [idOf("owner"), idOf("member")];
    const swarm = await stage.newSwarm(owner, { [member]: "member" });
    const agent = await stage.newAgent(owner);
    await stage.insert(owner, "swarm_agents", { swarm_id: swarm, agent_id: agent });
    const client = await RawClient.open(t, node.url);
    const topic = `realtime:swarm-agents:${swarm}`;
    assert.equal((await client.join(topic, { private: true }, "member"))["status"], "ok");
    await stage.run("internal", "delete from public.swarm_members where swarm_id = $1 and user_id = $2", [
      swarm,
      member,
    ]);
    await client.nextEvent("phx_close");
    await stage.update(owner, "agents", agent, { status: "error" });
    await stage.settle(feed);
    assert.ok(!client.frames.some((frame) => frame[3] === "broadcast" && JSON.stringify(frame).includes(agent)));
  });

  it("signals of webhooks and agents are for those who may read them, and only the service sends them", async (t) => {
    const webhook = await stage.listen(idOf("owner"));
    const swarm = await stage.newSwarm(idOf("owner"), { [idOf("member")]: "member" });
    const denied = /do not have permissions to read from this Channel topic/;
    for (const name of ["member", "stranger", "anon"])
      await assert.rejects(follow(t, name, `webhook:${webhook}`), denied);
    const { channel, client, received } = await follow<AgentSignal>(t, "owner", `swarm-agents:${swarm}`);
    assert.equal(await channel.send({ type: "broadcast", event: "agents", payload: { agents: [] } }), "error");
    assert.notEqual(await channel.track({ name: "x" }), "ok");
    const body = { messages: [{ topic: `webhook:${webhook}`, event: "deliveries", payload: {}, private: true }] };
    const answer = await fetch(`${node.url}/realtime/v1/api/broadcast`, {
      method: "POST",
      headers: { apikey: "anon", authorization: "Bearer owner" },
      body: JSON.stringify(body),
    });
    assert.equal(answer.status, 403);
    // A public channel of the same name is another topic.
    const open = client.channel(`webhook:${webhook}`);
    const heard: unknown[] = [];
    open.on("broadcast", { event: "*" }, (message) => heard.push(message));
    await subscribed(open);
    await record(await addDelivery(webhook));
    await stage.settle(feed);
    assert.deepEqual([heard, await isFollowed(`webhook:${webhook}`), received], [[], false, []]);
  });

  it("invalid signals in the WAL are ignored", async (t) => {
    const webhook = await stage.listen(idOf("owner"));
    const { received } = await follow<WebhookSignal>(t, "owner", `webhook:${webhook}`);
    for (const content of ["x", "{}", "[1]", `{"topic":"webhook:${webhook}"}`, `{"topic":1,"items":[]}`])
      await feed.changes.emit("swarmbase.signal", Buffer.from(content));
    const many = Array.from({ length: 200 }, () => randomUUID());
    await feed.changes.emit(
      "swarmbase.signal",
      Buffer.from(JSON.stringify({ topic: `webhook:${webhook}`, items: many })),
    );
    await until(() => received.length > 0);
    assert.deepEqual(received.at(-1)?.payload, { webhook_id: webhook, delivery_ids: null });
  });

  it("a client receives a signal when a transaction that could not know of it has ended, and when the feed is back", async (t) => {
    seesTransactions = true;
    t.after(() => {
      seesTransactions = false;
    });
    const webhook = await stage.listen(idOf("owner"));
    const delivery = await addDelivery(webhook);
    const [hasWritten, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const writing = stage.transaction("internal", async (query) => {
      await query("update public.webhook_deliveries set attempts = 1 where id = $1", [delivery.id]);
      hasWritten.resolve();
      await mayCommit.promise;
    });
    await hasWritten.promise;
    const { received } = await follow<WebhookSignal>(t, "owner", `webhook:${webhook}`);
    await until(() => received.length > 0);
    mayCommit.resolve();
    await writing;
    const beforeEnd = received.length;
    await until(() => received.length > beforeEnd);
    assert.deepEqual(received[beforeEnd]?.payload, { webhook_id: webhook, delivery_ids: null });
    const before = received.length;
    const { default: pg } = await import("pg");
    const admin = new pg.Client({ connectionString: stage.database.adminUrl });
    await admin.connect();
    await admin.query(
      "select pg_terminate_backend(active_pid) from pg_replication_slots where database = current_database()",
    );
    await admin.end();
    await until(() => received.length > before);
    assert.deepEqual(received[before]?.payload, { webhook_id: webhook, delivery_ids: null });
  });

  it("nothing is written into the WAL for topics that nobody follows", async (t) => {
    const [webhook, other] = [await stage.listen(idOf("owner")), await stage.listen(idOf("owner"))];
    const slot = `test_${randomUUID().replaceAll("-", "")}`;
    const { default: pg } = await import("pg");
    const admin = new pg.Client({ connectionString: stage.database.adminUrl });
    await admin.connect();
    try {
      await admin.query("select pg_create_logical_replication_slot($1, 'pgoutput', true)", [slot]);
      const count = async () => Number((await admin.query<{ count: number }>(COUNT_SIGNALS, [slot])).rows[0]?.count);
      const { received } = await follow<WebhookSignal>(t, "owner", `webhook:${webhook}`);
      await record(await addDelivery(other));
      assert.equal(await count(), 0);
      await record(await addDelivery(webhook));
      assert.equal(await count(), 1);
      await until(() => received.length > 0);
      // Rows of a node that died.
      await stage.run(
        "internal",
        "insert into private.followed_topics values ($1, gen_random_uuid(), now() - interval '1 s')",
        [`webhook:${other}`],
      );
      await record(await addDelivery(other));
      assert.equal(await count(), 1);
    } finally {
      await admin.end();
    }
  });
});
