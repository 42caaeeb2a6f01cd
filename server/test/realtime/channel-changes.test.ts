import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it, type TestContext } from "node:test";
import type { RealtimePostgresChangesPayload } from "@supabase/supabase-js";
import { translateScopeError } from "../../src/auth/index.ts";
import { createFollowedTopics, createPrivateTopics } from "../../src/realtime/index.ts";
import { createTestDatabase } from "../support/database.ts";
import { principalOf, FeedStage, type Node } from "./feed-stage.ts";
import { createTokens, openStage, type Stage } from "./support/realtime-stage.ts";
import { openSupabase, subscribed, type Vsn } from "./support/supabase-client.ts";
import { until } from "../support/until.ts";

type Change = RealtimePostgresChangesPayload<Record<string, unknown>>;

/** Two whole nodes on one database, and the unmodified client. */
describe("channels on a real feed", () => {
  const closers: (() => Promise<void>)[] = [];
  const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
  const tokens = createTokens();
  const nodes: { feed: Node; stage: Stage }[] = [];
  let stage: FeedStage;
  let ann: string;
  let ben: string;

  before(async () => {
    stage = new FeedStage(await createTestDatabase(cleanup));
    cleanup.after(async () => {
      await stage.close();
      await until(async () => (await stage.slots()) === 0);
    });
    [ann, ben] = [await stage.newUser(), await stage.newUser()];
    for (const [name, id] of [
      ["ann", ann],
      ["ben", ben],
    ] as const) {
      tokens.set(name, { principal: principalOf(id) });
    }
    await stage.database.owner.query(`create policy anybody on realtime.messages to authenticated
      using (realtime.topic() = 'hall') with check (realtime.topic() = 'hall')`);
    for (const _ of [1, 2]) {
      const feed = stage.startNode();
      const privateTopics = createPrivateTopics({
        database: feed.database,
        settings: { dbSchemas: ["public"], dbStatementTimeoutMs: 5_000 },
        newId: randomUUID,
        translateEnter: translateScopeError,
      });
      const { authenticate } = tokens;
      const followedTopics = createFollowedTopics(feed.database.service);
      const options = { changes: feed.changes, authenticate, privateTopics, followedTopics };
      nodes.push({ feed, stage: await openStage(cleanup, options) });
    }
    await until(() => nodes.every(({ feed }) => feed.changes.state() === "live"), "the feeds are live");
  });
  after(async () => {
    for (const close of closers) await close();
  });

  const connect = async (t: TestContext, name: string, { vsn, node = 0 }: { vsn?: Vsn; node?: number } = {}) => {
    const client = openSupabase(t, nodes[node]?.stage.url ?? "", { ...(vsn && { vsn }), token: () => name });
    await client.realtime.setAuth();
    return client;
  };

  for (const vsn of ["1.0.0", "2.0.0"] as const) {
    it(`on ${vsn} a channel receives changes of own agents with old and new rows, and never of others`, async (t) => {
      const [own, strange]: [Change[], Change[]] = [[], []];
      for (const [name, received] of [
        ["ann", own],
        ["ben", strange],
      ] as const) {
        const client = await connect(t, name, { vsn });
        const channel = client.channel(`agents-${name}`);
        channel.on("postgres_changes", { event: "*", schema: "public", table: "agents" }, (change) =>
          received.push(change),
        );
        await subscribed(channel);
      }
      const id = await stage.newAgent(ann, { name: "Ada" });
      await stage.update(ann, "agents", id, { status: "thinking" });
      await stage.remove(ann, "agents", id);
      const last = await stage.newAgent(ben);
      await until(() => own.length >= 3 && strange.length >= 1);
      assert.deepEqual(
        own.map(({ eventType }) => eventType),
        ["INSERT", "UPDATE", "DELETE"],
      );
      const [inserted, updated, deleted] = own;
      assert.equal(Reflect.get(inserted?.new ?? {}, "name"), "Ada");
      assert.equal(Reflect.get(updated?.new ?? {}, "status"), "thinking");
      assert.equal(Reflect.get(deleted?.old ?? {}, "id"), id);
      assert.equal(Reflect.get(strange[0]?.new ?? {}, "id"), last);
    });

    it(`on ${vsn} several bindings of one channel apply their own filter and event`, async (t) => {
      const [one, other] = [await stage.newAgent(ann), await stage.newAgent(ann)];
      const client = await connect(t, "ann", { vsn });
      const channel = client.channel("filtered");
      const received: string[] = [];
      const listen = (event: "UPDATE" | "DELETE", filter: string, name: string) =>
        channel.on("postgres_changes", { event: event as "UPDATE", schema: "public", table: "agents", filter }, () =>
          received.push(name),
        );
      listen("UPDATE", `id=eq.${one}`, "one changed");
      listen("UPDATE", `id=eq.${other}`, "other changed");
      listen("DELETE", `id=eq.${other}`, "other gone");
      await subscribed(channel);
      await stage.update(ann, "agents", one, { status: "thinking" });
      await stage.update(ann, "agents", other, { status: "thinking" });
      await stage.remove(ann, "agents", one);
      await stage.remove(ann, "agents", other);
      await until(() => received.length >= 3);
      assert.deepEqual(received, ["one changed", "other changed", "other gone"]);
    });
  }

  it("a channel receives every change that commits after its subscription", async (t) => {
    const id = await stage.newAgent(ann);
    for (let round = 0; round < 10; round += 1) {
      const client = await connect(t, "ann", { node: round % 2 });
      const channel = client.channel(`round-${round}`);
      const received: unknown[] = [];
      const filter = { event: "UPDATE", schema: "public", table: "agents", filter: `id=eq.${id}` } as const;
      channel.on("postgres_changes", filter, ({ new: row }) => received.push((row as { name: string }).name));
      await subscribed(channel);
      await stage.update(ann, "agents", id, { name: `name ${round}` });
      await until(() => received.length >= 1);
      assert.deepEqual(received, [`name ${round}`]);
      await client.removeAllChannels();
    }
  });

  it("after a token of another user a channel shows only what that user may see", async (t) => {
    let token = "ann";
    const client = openSupabase(t, nodes[0]?.stage.url ?? "", { token: () => token });
    await client.realtime.setAuth();
    const channel = client.channel("refreshed");
    const states: string[] = [];
    const received: unknown[] = [];
    const filter = { event: "INSERT", schema: "public", table: "agents" } as const;
    channel.on("postgres_changes", filter, ({ new: row }) => received.push((row as { name: string }).name));
    channel.subscribe((state) => states.push(state));
    await until(() => states.length >= 1);
    await stage.newAgent(ann, { name: "before" });
    await until(() => received.length >= 1);
    token = "ben";
    await client.realtime.setAuth();
    // Until the token is taken over nothing of the new user's comes, and how long that takes is not said.
    await until(async () => {
      await stage.newAgent(ben, { name: "mine now" });
      return received.at(-1) === "mine now";
    });
    await stage.newAgent(ann, { name: "not mine any more" });
    await stage.newAgent(ben, { name: "the end" });
    await until(() => received.at(-1) === "the end");
    assert.deepEqual([...new Set(received)], ["before", "mine now", "the end"]);
    assert.deepEqual(states, ["SUBSCRIBED"], "without joining again");
  });

  it("a join with an unknown table or filter column fails with the reason", async (t) => {
    const client = await connect(t, "ann");
    for (const wrong of [{ table: "nowhere" }, { table: "agents", filter: "nocolumn=eq.1" }]) {
      const channel = client.channel(`wrong-${JSON.stringify(wrong).length}`);
      channel.on("postgres_changes", { event: "*", schema: "public", ...wrong }, () => {});
      await assert.rejects(subscribed(channel), (error: Error) => error.message.length > 10);
      await client.removeChannel(channel);
    }
  });

  it("clients rejoin after the feed was lost and receive every later change", async (t) => {
    const id = await stage.newAgent(ann);
    const client = await connect(t, "ann");
    const channel = client.channel("lasting");
    const [received, states]: [unknown[], string[]] = [[], []];
    const filter = { event: "UPDATE", schema: "public", table: "agents", filter: `id=eq.${id}` } as const;
    channel.on("postgres_changes", filter, ({ new: row }) => received.push((row as { name: string }).name));
    channel.subscribe((state) => states.push(state));
    await until(() => states.length >= 1);
    await terminateFeeds(stage);
    await until(() => states.length >= 3, "it is subscribed again");
    assert.deepEqual(states, ["SUBSCRIBED", "CHANNEL_ERROR", "SUBSCRIBED"]);
    await stage.update(ann, "agents", id, { name: "after" });
    await until(() => received.length >= 1);
    await until(() => nodes.every(({ feed }) => feed.changes.state() === "live"), "the feeds are live");
  });

  it("channels of other nodes receive broadcasts of clients and of the database", async (t) => {
    const received: string[][] = [[], []];
    const channels = await Promise.all(
      received.map(async (list, node) => {
        const client = await connect(t, "ann", { node, vsn: node === 0 ? "2.0.0" : "1.0.0" });
        const channel = client.channel("news", { config: { broadcast: { ack: true, self: true } } });
        channel.on("broadcast", { event: "*" }, ({ event }) => list.push(event));
        await subscribed(channel);
        return channel;
      }),
    );
    const large = "x".repeat(100_000);
    assert.equal(await channels[0]?.send({ type: "broadcast", event: "from 0", payload: { large } }), "ok");
    await until(() => (received[1]?.length ?? 0) >= 1);
    assert.equal(await channels[1]?.send({ type: "broadcast", event: "from 1", payload: {} }), "ok");
    await until(() => (received[0]?.length ?? 0) >= 2);
    await stage.run("service_role", `select realtime.send('{"n": 1}', 'from sql', 'news', false)`);
    for (const list of received) {
      await until(() => list.length >= 3);
      assert.deepEqual(list, ["from 0", "from 1", "from sql"]);
    }
  });

  it("channels see presences of other nodes", async (t) => {
    const channels = await Promise.all(
      ["ann", "ben"].map(async (key, node) => {
        const channel = (await connect(t, key, { node })).channel("lobby", { config: { presence: { key } } });
        channel.on("presence", { event: "sync" }, () => {});
        await subscribed(channel);
        assert.equal(await channel.track({ key }), "ok");
        return channel;
      }),
    );
    const keysOf = (at: number) =>
      Object.keys(channels[at]?.presenceState() ?? {})
        .sort()
        .join();
    for (const at of [0, 1]) await until(() => keysOf(at) === "ann,ben", `node ${at} sees both`);
    await channels[0]?.unsubscribe();
    await until(() => keysOf(1) === "ben", "one is gone");
  });

  it("stored messages of a private channel arrive live and in replays, but not at their sender", async (t) => {
    const since = Date.now() - 1_000;
    const enter = async (name: string, node: number, replay?: { since: number; limit?: number }) => {
      const channel = (await connect(t, name, { node })).channel("hall", {
        config: { private: true, broadcast: { ack: true, ...(replay && { replay }) } },
      });
      const received: { event: string; isReplayed: boolean; payload: unknown }[] = [];
      channel.on("broadcast", { event: "*" }, ({ event, payload, meta }) =>
        received.push({ event, payload, isReplayed: (meta as { replayed?: boolean } | undefined)?.replayed === true }),
      );
      await subscribed(channel);
      return { channel, received };
    };
    const [sender, listener] = [await enter("ann", 0), await enter("ben", 1)];
    const kept = { type: "broadcast", event: "kept", payload: { n: 1 }, persist: true } as const;
    assert.equal(await sender.channel.send(kept), "ok");
    await until(() => listener.received.length >= 1);
    await stage.run("service_role", `select realtime.send('{"n": 2}', 'from sql', 'hall')`);
    await until(() => listener.received.length >= 2 && sender.received.length >= 1);
    assert.deepEqual(sender.received, [{ event: "from sql", payload: { n: 2 }, isReplayed: false }]);
    const late = await enter("ben", 0, { since });
    await until(() => late.received.length >= 2);
    assert.deepEqual(late.received, [
      { event: "kept", payload: { n: 1 }, isReplayed: true },
      { event: "from sql", payload: { n: 2 }, isReplayed: true },
    ]);
  });

  it("a change of the policies closes the private channels that they no longer allow, with the reason", async (t) => {
    const { owner } = stage.database;
    await owner.query(`create function public.may_enter() returns boolean language sql stable as 'select true';
      grant execute on function public.may_enter() to authenticated;
      create policy lobby on realtime.messages for select to authenticated
        using (realtime.topic() in ('lobby', 'lounge') and public.may_enter())`);
    const enter = async (topic: string, node: number) => {
      const states: string[] = [];
      const messages: unknown[] = [];
      const channel = (await connect(t, "ann", { node })).channel(topic, { config: { private: true } });
      channel.on("system", {}, ({ message }) => messages.push(message));
      channel.subscribe((state) => states.push(state));
      await until(() => states.length > 0);
      return { states, messages };
    };
    const [lobby, lounge, hall] = [await enter("lobby", 0), await enter("lounge", 1), await enter("hall", 0)];
    await owner.query(
      "alter policy lobby on realtime.messages using (realtime.topic() = 'lounge' and public.may_enter())",
    );
    await until(() => lobby.states.length >= 2);
    assert.deepEqual(lobby.states, ["SUBSCRIBED", "CLOSED"]);
    assert.match(String(lobby.messages.at(-1)), /permissions to read from this Channel topic: lobby/);
    // A function that a policy calls is part of the policy.
    await owner.query(
      "create or replace function public.may_enter() returns boolean language sql stable as 'select false'",
    );
    await until(() => lounge.states.length >= 2);
    assert.deepEqual(lounge.states, ["SUBSCRIBED", "CLOSED"]);
    assert.deepEqual(hall.states, ["SUBSCRIBED"]);
  });

  it("a sign-out ends the channels of the user on every node at once", async (t) => {
    const eve = await stage.newUser();
    const sessionId = (await stage.insert("internal", "auth.sessions", { user_id: eve, refresh_key_wrapped: "" })).id;
    const session = { userId: eve, sessionId, inactivitySeconds: 0 };
    tokens.set("eve", { principal: { ...principalOf(eve, { session_id: sessionId }), session } });
    const agent = await stage.newAgent(eve);
    const [received, errors]: [unknown[], string[]] = [[], []];
    for (const node of [0, 1]) {
      const channel = (await connect(t, "eve", { node })).channel("mine");
      channel.on("postgres_changes", { event: "*", schema: "public", table: "agents" }, (change) =>
        received.push(change),
      );
      channel.subscribe((state) => errors.push(state));
    }
    await until(() => errors.join() === "SUBSCRIBED,SUBSCRIBED");
    tokens.drop("eve");
    await stage.run("internal", "delete from auth.sessions where id = $1", [sessionId]);
    await stage.run("internal", "update public.agents set name = 'later' where id = $1", [agent]);
    await until(() => errors.filter((state) => state === "CHANNEL_ERROR").length >= 2, "both channels failed");
    for (const { feed } of nodes) await stage.settle(feed);
    assert.deepEqual(received, []);
  });
});

async function terminateFeeds(stage: FeedStage): Promise<void> {
  const { default: pg } = await import("pg");
  const admin = new pg.Client({ connectionString: stage.database.adminUrl });
  await admin.connect();
  await admin.query(
    "select pg_terminate_backend(active_pid) from pg_replication_slots where database = current_database()",
  );
  await admin.end();
}
