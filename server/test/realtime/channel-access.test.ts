import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { AppError } from "../../src/errors/index.ts";
import { createSettableClock } from "../auth/support/settable-clock.ts";
import { ChangesBus, createChangesDouble } from "./support/changes-double.ts";
import { RawClient } from "./support/raw-client.ts";
import { closedTopics, createTokens, openStage, userOf } from "./support/realtime-stage.ts";

const TOPIC = "realtime:room";
const CHANGES = { postgres_changes: [{ event: "*", schema: "public", table: "agents" }] };

describe("access of a channel", () => {
  const open = async (t: TestContext) => {
    const changes = createChangesDouble(new ChangesBus());
    const tokens = createTokens();
    const clock = createSettableClock();
    const stage = await openStage(t, {
      changes,
      clock,
      authenticate: tokens.authenticate,
      settings: { realtimeIdleTimeoutMs: 3_600_000 },
      timing: { sweepMs: 5 },
    });
    const client = await RawClient.open(t, stage.url);
    return { changes, tokens, clock, client, ...stage };
  };
  const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000);

  it("a channel ends when its token expires, with a warning and phx_error, never phx_close", async (t) => {
    const { client, tokens, clock, changes } = await open(t);
    tokens.set("ann", { expiresAt: inMinutes(10) });
    await client.join(TOPIC, CHANGES, "ann", "5");
    clock.advance(9.5 * 60_000);
    const [, , , , warning] = await client.next((frame) => frame[4]["status"] === "warning");
    assert.match(String(warning["message"]), /expires in \d+ seconds/);
    assert.ok(!client.frames.some((frame) => frame[3] === "phx_error"));
    clock.advance(60_000);
    const [joinRef, ref] = await client.nextEvent("phx_error");
    assert.deepEqual([joinRef, ref], ["5", "5"]);
    assert.equal(changes.subscribers.size, 0);
    assert.equal(client.frames.filter((frame) => frame[4]["status"] === "warning").length, 1);
    assert.ok(!client.frames.some((frame) => frame[3] === "phx_close"));
  });

  it("a channel continues with a new token", async (t) => {
    const { client, tokens, clock, changes } = await open(t);
    tokens.set("old", { expiresAt: inMinutes(10), principal: userOf("ann") });
    tokens.set("new", { expiresAt: inMinutes(70), principal: userOf("ann") });
    await client.join(TOPIC, CHANGES, "old");
    client.send("1", TOPIC, "access_token", { access_token: "new" });
    await client.ask(null, "phoenix", "heartbeat", {});
    clock.advance(11 * 60_000);
    await client.ask(null, "phoenix", "heartbeat", {});
    changes.deliver("{}");
    await client.nextEvent("postgres_changes");
    assert.ok(!client.frames.some((frame) => frame[3] === "phx_error"));
  });

  it("an invalid token ends a channel and an absent one has no effect", async (t) => {
    const { client, tokens } = await open(t);
    tokens.set("ann", {});
    await client.join(TOPIC, CHANGES, "ann");
    client.send("1", TOPIC, "access_token", { access_token: null });
    await client.ask(null, "phoenix", "heartbeat", {});
    assert.ok(!client.frames.some((frame) => frame[3] === "phx_error"));
    client.send("1", TOPIC, "access_token", { access_token: "bad" });
    await client.nextEvent("phx_error");
  });

  it("the end of a session or user ends its channels at once and no others", async (t) => {
    const { client, tokens, changes } = await open(t);
    for (const name of ["ann", "ben", "eve"]) {
      tokens.set(name, {});
      await client.join(`realtime:${name}`, CHANGES, name, name);
    }
    tokens.drop("ann");
    changes.endSessions({ sessionIds: ["session-ann"] });
    changes.endSessions({ userIds: ["user-ben"] });
    changes.deliver("{}");
    await client.nextEvent("postgres_changes");
    const received = (event: string) => client.frames.filter((frame) => frame[3] === event).map(([joinRef]) => joinRef);
    assert.deepEqual(received("phx_error"), ["ann", "ben"]);
    assert.deepEqual(received("postgres_changes"), ["eve"]);
    assert.equal((await client.join("realtime:ann", CHANGES, "ann", "again"))["status"], "error");
  });

  it("a join fails when its session ends during the join", async (t) => {
    const { client, tokens, changes } = await open(t);
    tokens.set("ann", {});
    const goOn = changes.holdSubscriptions();
    const joining = client.join(TOPIC, CHANGES, "ann");
    await client.ask(null, "phoenix", "heartbeat", {});
    changes.endSessions({ sessionIds: ["session-ann"] });
    goOn();
    assert.deepEqual(await joining, { status: "error", response: { reason: "The session has ended" } });
    assert.equal(changes.subscribers.size, 0);
  });

  it("a revoked key ends the channels of its sockets, with and without a token", async (t) => {
    const tokens = createTokens();
    const { url } = await openStage(t, {
      changes: createChangesDouble(new ChangesBus()),
      authenticate: tokens.authenticate,
      timing: { recheckMs: 0 },
    });
    const [anon, service] = [await RawClient.open(t, url), await RawClient.open(t, url, { apikey: "service" })];
    await anon.join(TOPIC);
    tokens.drop("anon");
    assert.equal(await anon.closed, 1008);
    assert.equal((await service.join(TOPIC))["status"], "ok");
  });

  it("a private channel whose access changes while its join is checked is checked again", async (t) => {
    const changes = createChangesDouble(new ChangesBus());
    const [asked, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { url } = await openStage(t, {
      changes,
      privateTopics: {
        ...closedTopics,
        findReadable: async () => {
          asked.resolve();
          await goOn.promise;
          return new Set(["broadcast", "presence"] as const);
        },
      },
    });
    const client = await RawClient.open(t, url);
    const joining = client.join(TOPIC, { private: true });
    await asked.promise;
    changes.changeAccess(new Map([["room", null]]));
    goOn.resolve();
    // The reply to the join is ready before or after the second check.
    if ((await joining)["status"] === "ok") await client.nextEvent("phx_close");
  });

  it("a recheck ends the channels of a session that lacks the second factor of its user", async (t) => {
    const tokens = createTokens();
    tokens.set("ann", {});
    let isFactorMissing = false;
    const { url } = await openStage(t, {
      changes: createChangesDouble(new ChangesBus()),
      authenticate: async (token, apikey) => {
        if (token === "ann" && isFactorMissing) throw new AppError("FORBIDDEN", "verify the second factor first");
        return tokens.authenticate(token, apikey);
      },
      timing: { recheckMs: 0 },
    });
    const client = await RawClient.open(t, url);
    await client.join("realtime:a", {}, "ann", "ann");
    isFactorMissing = true;
    assert.equal((await client.nextEvent("phx_error"))[0], "ann");
  });

  it("a private channel is checked again when its new user loses access while the new token is checked", async (t) => {
    const changes = createChangesDouble(new ChangesBus());
    const tokens = createTokens();
    for (const name of ["ann", "ben"]) tokens.set(name, {});
    const [asked, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { url } = await openStage(t, {
      changes,
      authenticate: tokens.authenticate,
      privateTopics: {
        ...closedTopics,
        findReadable: async ({ userId }) => {
          if (userId === "user-ben") {
            asked.resolve();
            await goOn.promise;
          }
          return new Set(["broadcast", "presence"] as const);
        },
      },
    });
    const client = await RawClient.open(t, url);
    assert.equal((await client.join(TOPIC, { private: true }, "ann"))["status"], "ok");
    client.send("1", TOPIC, "access_token", { access_token: "ben" });
    await asked.promise;
    changes.changeAccess(new Map([["room", new Set(["user-ben"])]]));
    goOn.resolve();
    await client.nextEvent("phx_close");
  });

  it("access is rechecked after an interruption of the feed, however short, which may have missed a sign-out", async (t) => {
    const { client, tokens, changes } = await open(t);
    tokens.set("ann", {});
    tokens.set("ben", {});
    await client.join("realtime:a", {}, "ann", "ann");
    await client.join("realtime:b", {}, "ben", "ben");
    changes.setState("connecting");
    tokens.drop("ann");
    changes.setState("live");
    assert.equal((await client.nextEvent("phx_error"))[0], "ann");
    await client.ask(null, "phoenix", "heartbeat", {});
    assert.equal(client.frames.filter((frame) => frame[3] === "phx_error").length, 1);
  });
});
