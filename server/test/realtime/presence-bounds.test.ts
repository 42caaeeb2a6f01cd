import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { RealtimeChannel } from "@supabase/supabase-js";
import { ChangesBus, type ChangesDouble, createChangesDouble } from "./support/changes-double.ts";
import { createTokens, openStage, userOf } from "./support/realtime-stage.ts";
import { openSupabase, subscribed, type SupabaseOptions } from "./support/supabase-client.ts";
import { until } from "../support/until.ts";

const QUICK = { presenceTickMs: 10, presenceBeatMs: 50, presenceLeaseMs: 60_000 };
const LARGE = "x".repeat(300_000);
const UNLIMITED = {
  realtimePresenceLimitBytes: 0,
  realtimeHeldBytesPerSocket: 0,
  realtimeHeldBytesPerAddress: 0,
  realtimeHeldBytesPerUser: 0,
  realtimeHeldBytesPerTopic: 0,
  realtimeHeldBytesPerNode: 0,
  realtimeVisitorHeldBytesPerNode: 0,
};
/** Two presences of this text fit, a third does not. */
const HALF = "x".repeat(4_500);
const LIMIT = 10_000;

interface Client {
  readonly channel: RealtimeChannel;
  close(): Promise<unknown>;
}

async function open(t: TestContext, url: string, topic: string, options: SupabaseOptions = {}): Promise<Client> {
  const client = openSupabase(t, url, options);
  if (options.token !== undefined) await client.realtime.setAuth();
  const channel = client.channel(topic, { config: { broadcast: { ack: true } } });
  await subscribed(channel);
  return { channel, close: async () => client.realtime.disconnect() };
}

describe("limits of presence", () => {
  it("presences are sent to other nodes in messages within the feed limit", async (t) => {
    const bus = new ChangesBus();
    const changes = createChangesDouble(bus);
    const first = await openStage(t, { changes, timing: QUICK, settings: UNLIMITED });
    const topics = Array.from({ length: 20 }, (_, at) => `room ${at}`);
    for (const topic of topics) {
      const channel = openSupabase(t, first.url).channel(topic, { config: { presence: { key: topic } } });
      await subscribed(channel);
      assert.equal(await channel.track({ LARGE }), "ok");
    }
    const sizes: number[] = [];
    const late = createChangesDouble(bus);
    t.after(late.onMessage("swarmbase.presence", (content) => sizes.push(content.length)));
    const second = await openStage(t, { changes: late, timing: QUICK, settings: UNLIMITED });
    for (const topic of topics) {
      const channel = openSupabase(t, second.url).channel(topic, { config: { presence: { key: "late" } } });
      channel.on("presence", { event: "sync" }, () => {});
      await subscribed(channel);
      await until(() => Object.keys(channel.presenceState()).includes(topic), topic);
    }
    assert.ok(Math.max(...sizes) < 2_000_000, `a message of ${Math.max(...sizes)} bytes`);
  });

  it("the presences of one topic are limited to what fits into a join", async (t) => {
    const changes = createChangesDouble(new ChangesBus());
    const settings = { ...UNLIMITED, realtimeSendBufferLimitBytes: 1_000_000 };
    const { url } = await openStage(t, { changes, timing: QUICK, settings });
    const answers: string[] = [];
    for (let at = 0; at < 4; at += 1) {
      const channel = openSupabase(t, url).channel("room", { config: { presence: { key: String(at) } } });
      await subscribed(channel);
      answers.push(await channel.track({ at, LARGE }));
    }
    assert.deepEqual(answers, ["ok", "error", "error", "error"]);
  });

  it("the presences of one socket are limited over all its channels", async (t) => {
    const changes = createChangesDouble(new ChangesBus());
    const settings = { ...UNLIMITED, realtimeHeldBytesPerSocket: 1_000_000 };
    const { url } = await openStage(t, { changes, timing: QUICK, settings });
    const client = openSupabase(t, url);
    const channels = await Promise.all(
      Array.from({ length: 4 }, async (_, at) => {
        const channel = client.channel(`room ${at}`);
        await subscribed(channel);
        return channel;
      }),
    );
    const answers: string[] = [];
    for (const channel of channels) answers.push(await channel.track({ LARGE }));
    assert.deepEqual(answers, ["ok", "ok", "ok", "error"]);
    await channels[0]?.untrack();
    assert.equal(await channels[3]?.track({ LARGE }), "ok");
  });

  it("one presence has at most 16 KiB, and a rejected one leaves the one before", async (t) => {
    const { url } = await openStage(t, { changes: createChangesDouble(new ChangesBus()), timing: QUICK });
    const { channel } = await open(t, url, "room");
    assert.equal(await channel.track({ text: "x".repeat(16_000) }), "ok");
    assert.equal(await channel.track({ text: "x".repeat(17_000) }), "error");
    assert.equal(await channel.track({ text: "y".repeat(16_000) }), "ok");
  });

  const SHARES = [
    ["address", { realtimeHeldBytesPerAddress: LIMIT }, {}],
    ["node", { realtimeHeldBytesPerNode: LIMIT }, {}],
    ["user", { realtimeHeldBytesPerUser: LIMIT }, { token: () => "ann" }],
    ["all visitors", { realtimeVisitorHeldBytesPerNode: LIMIT }, {}],
    ["all visitors that signed in anonymously", { realtimeVisitorHeldBytesPerNode: LIMIT }, { token: () => "guest" }],
  ] as const;
  for (const [name, limit, options] of SHARES) {
    it(`the presences of one share are limited over its sockets, and released when one closes: ${name}`, async (t) => {
      const tokens = createTokens();
      for (const user of ["ann", "ben"]) tokens.set(user, {});
      tokens.set("guest", { principal: { ...userOf("guest"), claims: { is_anonymous: true } } });
      const changes = createChangesDouble(new ChangesBus());
      const settings = { ...UNLIMITED, ...limit };
      const { authenticate } = tokens;
      const addressOf = () => "192.0.2.1";
      const { url } = await openStage(t, { changes, timing: QUICK, settings, authenticate, addressOf });
      const clients: Client[] = [];
      for (const topic of ["a", "b", "c"]) clients.push(await open(t, url, topic, options));
      const [first, , third] = clients;
      const answers: string[] = [];
      for (const { channel } of clients) answers.push(await channel.track({ HALF }));
      assert.deepEqual(answers, ["ok", "ok", "error"]);
      // A presence that replaces another one of its channel needs no further space.
      assert.equal(await first?.channel.track({ HALF, again: 1 }), "ok");
      // Another share of the same kind has its own space; the node and an address have none left.
      const other = await open(t, url, "d", { token: () => "ben" });
      assert.equal(await other.channel.track({ HALF }), name === "node" || name === "address" ? "error" : "ok");
      await first?.close();
      await until(async () => (await third?.channel.track({ HALF })) === "ok", "the space is released");
    });
  }

  it("a full topic rejects the presences of every node", async (t) => {
    const bus = new ChangesBus();
    const settings = { ...UNLIMITED, realtimeHeldBytesPerTopic: LIMIT };
    const stages = [
      await openStage(t, { changes: createChangesDouble(bus), timing: QUICK, settings }),
      await openStage(t, { changes: createChangesDouble(bus), timing: QUICK, settings }),
    ];
    for (const { url } of stages) assert.equal(await (await open(t, url, "room")).channel.track({ HALF }), "ok");
    const observer = await open(t, stages[0]?.url ?? "", "room");
    await until(async () => (await observer.channel.track({ HALF })) === "error", "the other node's presence counts");
    assert.equal(await (await open(t, stages[0]?.url ?? "", "hall")).channel.track({ HALF }), "ok");
  });

  it("broadcasts that wait for the feed are limited for each share, and released when they are sent", async (t) => {
    const sending = Promise.withResolvers<void>();
    const bus = new ChangesBus();
    const changes: ChangesDouble = { ...createChangesDouble(bus), emit: () => sending.promise };
    const settings = { ...UNLIMITED, realtimeHeldBytesPerAddress: LIMIT, realtimeVisitorHeldBytesPerNode: 2 * LIMIT };
    let address = 1;
    const addressOf = () => `192.0.2.${address}`;
    const { url } = await openStage(t, { changes, timing: QUICK, settings, addressOf });
    const say = ({ channel }: Client) => channel.send({ type: "broadcast", event: "e", payload: { HALF } });
    const waiting: Promise<string>[] = [];
    const clients: Client[] = [];
    for (const topic of ["a", "b", "c"]) clients.push(await open(t, url, topic));
    const [first, second, third] = clients;
    assert.ok(first && second && third);
    waiting.push(say(first), say(second));
    assert.equal(await say(third), "error", "the address has no space left");
    address = 2;
    const neighbour = await open(t, url, "d");
    waiting.push(say(neighbour), say(neighbour));
    address = 3;
    const last = await open(t, url, "e");
    assert.equal(await say(last), "error", "visitors have no space left");
    sending.resolve();
    assert.deepEqual(await Promise.all(waiting), ["ok", "ok", "ok", "ok"]);
    assert.deepEqual([await say(third), await say(last)], ["ok", "ok"]);
  });

  it("a topic has at most 1,024 characters", async (t) => {
    const { url } = await openStage(t, { changes: createChangesDouble(new ChangesBus()), timing: QUICK });
    await assert.rejects(open(t, url, "x".repeat(1_025)), /TopicNameTooLong/);
  });
});
