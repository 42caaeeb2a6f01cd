import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ChangesBus, createChangesDouble } from "./support/changes-double.ts";
import { RawClient } from "./support/raw-client.ts";
import { openStage, type StageOptions } from "./support/realtime-stage.ts";
import { openSupabase, subscribed, type Vsn } from "./support/supabase-client.ts";
import { until } from "../support/until.ts";

interface ReceivedChange {
  readonly event: string;
  readonly payload: unknown;
}

describe("broadcast", () => {
  const open = async (t: TestContext, bus = new ChangesBus(), options: Partial<StageOptions> = {}) => {
    const changes = createChangesDouble(bus);
    return { changes, ...(await openStage(t, { changes, ...options })) };
  };
  /** A channel of the unmodified client that records what it receives. */
  const enter = async (
    t: TestContext,
    url: string,
    { vsn, ...broadcast }: { vsn: Vsn; ack?: boolean; self?: boolean },
    topic = "room",
  ) => {
    const channel = openSupabase(t, url, { vsn }).channel(topic, { config: { broadcast } });
    const received: ReceivedChange[] = [];
    channel.on("broadcast", { event: "*" }, ({ event, payload }) => received.push({ event, payload }));
    await subscribed(channel);
    return { channel, received };
  };

  for (const from of ["1.0.0", "2.0.0"] as const) {
    it(`broadcasts of a ${from} client reach all other clients of both versions in order`, async (t) => {
      const { url } = await open(t);
      const sender = await enter(t, url, { vsn: from });
      const [one, two] = [await enter(t, url, { vsn: "1.0.0" }), await enter(t, url, { vsn: "2.0.0" })];
      const elsewhere = await enter(t, url, { vsn: "2.0.0" }, "other");
      const payloads = Array.from({ length: 20 }, (_, n) => ({ n, text: "ünï€😀", nested: [null, { a: 1.5 }] }));
      for (const payload of payloads) await sender.channel.send({ type: "broadcast", event: "cürsor", payload });
      const expected = payloads.map((payload) => ({ event: "cürsor", payload }));
      for (const { received } of [one, two]) {
        await until(() => received.length >= 20);
        assert.deepEqual(received, expected);
      }
      assert.deepEqual([sender.received, elsewhere.received], [[], []]);
    });

    it(`a ${from} client receives its own broadcasts with self and a reply with ack`, async (t) => {
      const { url } = await open(t);
      const { channel, received } = await enter(t, url, { vsn: from, ack: true, self: true });
      assert.equal(await channel.send({ type: "broadcast", event: "e", payload: { x: 1 } }), "ok");
      await until(() => received.length >= 1);
      assert.deepEqual(received, [{ event: "e", payload: { x: 1 } }]);
    });

    it(`an oversized broadcast of a ${from} client is rejected`, async (t) => {
      const { url } = await open(t, new ChangesBus(), { settings: { realtimePayloadLimitBytes: 1024 } });
      const { channel, received } = await enter(t, url, { vsn: from, ack: true, self: true });
      const big = await channel.send({ type: "broadcast", event: "e", payload: { x: "x".repeat(2000) } });
      assert.equal(big, "error");
      assert.equal(await channel.send({ type: "broadcast", event: "e", payload: {} }), "ok");
      await until(() => received.length >= 1);
    });
  }

  it("binary broadcasts reach clients of protocol 2.0.0 only", async (t) => {
    const { url } = await open(t);
    const sender = await enter(t, url, { vsn: "2.0.0" });
    const [old, young] = [await enter(t, url, { vsn: "1.0.0" }), await enter(t, url, { vsn: "2.0.0" })];
    const bytes = Uint8Array.from({ length: 256 }, (_, n) => n);
    await sender.channel.send({ type: "broadcast", event: "bytes", payload: bytes.buffer });
    await sender.channel.send({ type: "broadcast", event: "end", payload: {} });
    await until(() => young.received.length >= 2 && old.received.length >= 1);
    assert.deepEqual(new Uint8Array(young.received[0]?.payload as ArrayBuffer), bytes);
    assert.deepEqual(old.received, [{ event: "end", payload: {} }]);
  });

  it("broadcasts over REST reach all clients, as one or many messages, JSON or binary", async (t) => {
    const { url } = await open(t);
    const { received } = await enter(t, url, { vsn: "2.0.0" });
    const outside = openSupabase(t, url).channel("room");
    assert.deepEqual(await outside.httpSend("named", { a: 1 }), { success: true });
    assert.deepEqual(await outside.httpSend("bytes", Uint8Array.from([1, 2, 3])), { success: true });
    const answer = await fetch(`${url}/realtime/v1/api/broadcast`, {
      method: "POST",
      headers: { apikey: "anon" },
      body: JSON.stringify({
        messages: [
          { topic: "room", event: "first", payload: { n: 1 } },
          { topic: "elsewhere", event: "no", payload: {} },
          { topic: "room", event: "second", payload: { n: 2 }, private: false },
        ],
      }),
    });
    assert.equal(answer.status, 202);
    assert.equal(await answer.text(), "");
    await until(() => received.length >= 4);
    assert.deepEqual(
      received.map(({ event }) => event),
      ["named", "bytes", "first", "second"],
    );
    assert.deepEqual(new Uint8Array(received[1]?.payload as ArrayBuffer), Uint8Array.from([1, 2, 3]));
  });

  it("an invalid REST broadcast gives 422 with the fields and sends nothing", async (t) => {
    const { url } = await open(t);
    const { received } = await enter(t, url, { vsn: "2.0.0" });
    const good = { topic: "room", event: "e", payload: {} };
    const bodies = [
      {},
      { messages: {} },
      { messages: [good, { event: 1 }] },
      { messages: [{ ...good, persist: true }] },
    ];
    for (const body of bodies) {
      const answer = await fetch(`${url}/realtime/v1/api/broadcast`, {
        method: "POST",
        headers: { apikey: "anon" },
        body: JSON.stringify(body),
      });
      assert.equal(answer.status, 422);
      assert.ok(Object.keys(((await answer.json()) as { details: object }).details).length > 0);
    }
    assert.deepEqual(received, []);
  });

  it("a broadcast reaches channels of other nodes once", async (t) => {
    const bus = new ChangesBus();
    const [here, there] = [await open(t, bus), await open(t, bus)];
    const sender = await enter(t, here.url, { vsn: "2.0.0", ack: true, self: true });
    const listener = await enter(t, there.url, { vsn: "1.0.0" });
    for (const n of [1, 2, 3]) await sender.channel.send({ type: "broadcast", event: "e", payload: { n } });
    await until(() => listener.received.length >= 3 && sender.received.length >= 3);
    assert.deepEqual(
      listener.received.map(({ payload }) => payload),
      [{ n: 1 }, { n: 2 }, { n: 3 }],
    );
  });

  it("a broadcast that cannot reach other nodes is not acknowledged", async (t) => {
    const { url, changes } = await open(t);
    const { channel } = await enter(t, url, { vsn: "2.0.0", ack: true });
    changes.failEmits(new Error("away"));
    assert.equal(await channel.send({ type: "broadcast", event: "e", payload: {} }), "error");
    changes.failEmits(null);
    assert.equal(await channel.send({ type: "broadcast", event: "e", payload: {} }), "ok");
  });

  it("broadcasts over the rate limit of a socket are rejected until the next second", async (t) => {
    const { url } = await open(t, new ChangesBus(), { settings: { realtimeEventsPerSecond: 10 } });
    const client = await RawClient.open(t, url);
    await client.join("realtime:room", { broadcast: { ack: true } });
    const send = () => client.ask("1", "realtime:room", "broadcast", { type: "broadcast", event: "e", payload: {} });
    const replies = await Promise.all(Array.from({ length: 50 }, send));
    assert.ok(replies.some(({ status }) => status === "error"));
    // In the next second at the latest, wherever in this one the rejections fell.
    let reply = await send();
    while (reply["status"] !== "ok") {
      await sleep(50);
      reply = await send();
    }
  });

  it("a broadcast whose payload is not JSON is not sent", async (t) => {
    const { url } = await open(t);
    const { received } = await enter(t, url, { vsn: "1.0.0" });
    const client = await RawClient.open(t, url);
    await client.join("realtime:room", { broadcast: { ack: true } });
    client.ws.send(Buffer.from(`\x03\x01\x01\x0d\x01\x00\x011xrealtime:roome{"x":`, "latin1"));
    const [, , , , reply] = await client.next((frame) => frame[1] === "x");
    assert.equal(reply["status"], "error");
    assert.deepEqual(received, []);
  });
});
