import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { ChangesBus, createChangesDouble } from "./support/changes-double.ts";
import { RawClient } from "./support/raw-client.ts";
import { createTokens, openStage } from "./support/realtime-stage.ts";

const AGENTS = { event: "UPDATE", schema: "public", table: "agents", filter: "id=eq.x" };
const TOPIC = "realtime:room";

describe("a join", () => {
  const open = async (t: TestContext, options: Partial<Parameters<typeof openStage>[1]> = {}) => {
    const changes = createChangesDouble(new ChangesBus());
    const stage = await openStage(t, { changes, ...options });
    return { changes, ...stage };
  };

  for (const vsn of ["1.0.0", "2.0.0"] as const) {
    it(`on ${vsn} a join is answered in order: reply, subscription, presence state`, async (t) => {
      const { url } = await open(t);
      const client = await RawClient.open(t, url, { vsn });
      const all = { event: "*", schema: "public", table: "tools" };
      await client.join(TOPIC, { postgres_changes: [AGENTS, all], presence: { enabled: true } }, undefined, "6");
      await client.nextEvent("presence_state");
      assert.deepEqual(client.frames, [
        [
          "6",
          "6",
          TOPIC,
          "phx_reply",
          {
            status: "ok",
            response: {
              postgres_changes: [
                { ...AGENTS, id: 1 },
                { ...all, id: 2 },
              ],
            },
          },
        ],
        [
          null,
          null,
          TOPIC,
          "system",
          { extension: "postgres_changes", status: "ok", message: "Subscribed to PostgreSQL", channel: "room" },
        ],
        ["6", null, TOPIC, "presence_state", {}],
      ]);
    });

    it(`on ${vsn} changes follow a join with the ids of their bindings`, async (t) => {
      const { url, changes } = await open(t);
      const client = await RawClient.open(t, url, { vsn });
      await client.join(TOPIC, { postgres_changes: [AGENTS] });
      changes.deliver('{"type":"UPDATE"}');
      assert.deepEqual(await client.nextEvent("postgres_changes"), [
        "1",
        null,
        TOPIC,
        "postgres_changes",
        { ids: [1], data: { type: "UPDATE" } },
      ]);
    });
  }

  it("a join without bindings has an empty list in its reply and no system message", async (t) => {
    const { url } = await open(t);
    const client = await RawClient.open(t, url);
    assert.deepEqual(await client.join(TOPIC), { status: "ok", response: { postgres_changes: [] } });
    await client.ask(null, "phoenix", "heartbeat", {});
    assert.equal(client.frames.length, 2);
  });

  it("a join waits for the feed, and frames before the reply are sent after it", async (t) => {
    const { url, changes } = await open(t);
    const goOn = changes.holdSubscriptions();
    const client = await RawClient.open(t, url);
    const joining = client.join(TOPIC, { postgres_changes: [AGENTS] });
    await client.ask(null, "phoenix", "heartbeat", {});
    assert.equal(client.frames.length, 1, "only the heartbeat was answered");
    goOn();
    assert.equal((await joining)["status"], "ok");
  });

  it("a join that exceeds its wait time fails with the reason", async (t) => {
    const { url, changes } = await open(t);
    changes.holdSubscriptions();
    const client = await RawClient.open(t, url);
    const reply = await client.join(TOPIC, {
      postgres_changes: [AGENTS],
      postgres_changes_options: { wait: true, timeout: 50 },
    });
    assert.equal(reply["status"], "error");
    assert.match(JSON.stringify(reply), /PostgresChangesSubscribeTimeout/);
    assert.equal(changes.subscribers.size, 0);
  });

  it("a join that is cancelled while it waits leaves no subscription", async (t) => {
    const { url, changes } = await open(t);
    const goOn = changes.holdSubscriptions();
    const client = await RawClient.open(t, url);
    client.send("1", TOPIC, "phx_join", { config: { postgres_changes: [AGENTS] } });
    assert.deepEqual(await client.ask("1", TOPIC, "phx_leave", {}), { status: "ok", response: {} });
    goOn();
    await client.ask(null, "phoenix", "heartbeat", {});
    assert.equal(changes.subscribers.size, 0);
    assert.equal(client.frames.filter(([joinRef]) => joinRef === "1").length, 1);
  });

  it("a second join of a topic replaces the first, and frames for the first are ignored", async (t) => {
    const { url, changes } = await open(t);
    const client = await RawClient.open(t, url);
    await client.join(TOPIC, { postgres_changes: [AGENTS] }, undefined, "1");
    await client.join(TOPIC, { postgres_changes: [AGENTS] }, undefined, "2");
    assert.equal(changes.subscribers.size, 1);
    await client.ask("1", TOPIC, "phx_leave", {});
    changes.deliver("{}");
    const received = await client.nextEvent("postgres_changes");
    assert.equal(received[0], "2");
    assert.equal(client.frames.filter((frame) => frame[3] === "postgres_changes").length, 1);
  });

  it("a rejected join has a readable reason", async (t) => {
    const { url } = await open(t);
    const client = await RawClient.open(t, url);
    const reasons = [
      await client.join("realtime:", {}, undefined, "a"),
      await client.join("other:x", {}, undefined, "b"),
      await client.join("realtime:x", { postgres_changes: [{ event: "TRUNCATE", schema: "public" }] }, undefined, "c"),
      await client.join("realtime:x", { postgres_changes: [{ event: "*" }] }, undefined, "d"),
      await client.join("realtime:x", { postgres_changes: "all" }, undefined, "e"),
      await client.join("realtime:x", {}, "no-such-token", "f"),
      await client.join("realtime:x", { private: true }, undefined, "g"),
      await client.join("realtime:x", { broadcast: { replay: { since: 1 } } }, undefined, "h"),
    ];
    for (const { status, response } of reasons) {
      assert.equal(status, "error");
      assert.equal(typeof (response as { reason: unknown }).reason, "string");
    }
    assert.match(JSON.stringify(reasons[6]), /do not have permissions to read from this Channel topic: x/);
  });

  it("a join with an option that has no effect is rejected, and the reason names the option", async (t) => {
    const { url } = await open(t);
    const client = await RawClient.open(t, url);
    const binding = { event: "*", schema: "public", table: "agents" };
    const cases: readonly [config: unknown, name: string][] = [
      [{ encryption: "aes" }, "config.encryption"],
      [{ broadcast: { compress: true } }, "config.broadcast.compress"],
      [{ presence: { key: "a", ttl: 5 } }, "config.presence.ttl"],
      [{ private: true, broadcast: { replay: { since: 1, until: 2 } } }, "config.broadcast.replay.until"],
      [{ postgres_changes: [{ ...binding, columns: ["id"] }] }, "config.postgres_changes.columns"],
      [{ postgres_changes_options: { wait: true, retry: 1 } }, "config.postgres_changes_options.retry"],
    ];
    for (const [at, [config, name]] of cases.entries())
      assert.deepEqual(await client.join("realtime:x", config, undefined, `${at}`), {
        status: "error",
        response: { reason: `${name} is not supported` },
      });
    const nothing = { encryption: null, broadcast: { compress: false }, postgres_changes: [{ ...binding, id: 0 }] };
    assert.equal((await client.join("realtime:x", nothing, undefined, "last"))["status"], "ok");
  });

  it("joins over the channel limit of a socket or user are rejected until a channel leaves", async (t) => {
    const tokens = createTokens();
    tokens.set("ann", {});
    const { url } = await open(t, {
      authenticate: tokens.authenticate,
      settings: { realtimeChannelsPerSocket: 2, realtimeChannelsPerUser: 3 },
    });
    const [one, two] = [await RawClient.open(t, url), await RawClient.open(t, url)];
    const statusOf = async (client: RawClient, topic: string, ref: string) =>
      (await client.join(topic, {}, "ann", ref))["status"];
    assert.equal(await statusOf(one, "realtime:a", "1"), "ok");
    assert.equal(await statusOf(one, "realtime:b", "2"), "ok");
    assert.equal(await statusOf(one, "realtime:c", "3"), "error", "the socket is full");
    assert.equal(await statusOf(two, "realtime:a", "1"), "ok");
    assert.equal(await statusOf(two, "realtime:b", "2"), "error", "the user is full");
    await one.ask("1", "realtime:a", "phx_leave", {});
    assert.equal(await statusOf(two, "realtime:b", "3"), "ok");
  });

  it("joins over the rate limit are rejected", async (t) => {
    const { url } = await open(t, { settings: { realtimeJoinsPerSecond: 3 } });
    const client = await RawClient.open(t, url);
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, at) => client.join(`realtime:${at}`, {}, undefined, String(at))),
    );
    const ok = replies.filter(({ status }) => status === "ok").length;
    assert.ok(ok >= 3 && ok <= 6, `${ok} of 20 within at most two seconds of the clock`);
    assert.match(JSON.stringify(replies), /Too many joins/);
  });
});

describe("a channel whose feed is lost", () => {
  it("a channel whose feed is lost gets phx_error and can rejoin", async (t) => {
    const changes = createChangesDouble(new ChangesBus());
    const { url } = await openStage(t, { changes });
    const client = await RawClient.open(t, url);
    await client.join(TOPIC, { postgres_changes: [AGENTS] }, undefined, "7");
    await client.join("realtime:other", {}, undefined, "8");
    changes.loseAll("The change feed was interrupted");
    const [joinRef, ref, topic] = await client.nextEvent("phx_error");
    assert.deepEqual([joinRef, ref, topic], ["7", "7", TOPIC]);
    assert.equal((await client.join(TOPIC, { postgres_changes: [AGENTS] }, undefined, "9"))["status"], "ok");
    changes.deliver("{}");
    assert.equal((await client.nextEvent("postgres_changes"))[0], "9");
    assert.equal(client.frames.filter((frame) => frame[3] === "phx_error").length, 1, "others go on");
  });
});
