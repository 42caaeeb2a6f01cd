import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { createSettableClock } from "../auth/support/settable-clock.ts";
import { ChangesBus, createChangesDouble } from "./support/changes-double.ts";
import { RawClient } from "./support/raw-client.ts";
import { openStage, type StageOptions } from "./support/realtime-stage.ts";

const CHANGES = { postgres_changes: [{ event: "*", schema: "public", table: "agents" }] };

describe("a socket", () => {
  const open = async (t: TestContext, options: Partial<StageOptions> = {}) => {
    const changes = createChangesDouble(new ChangesBus());
    return { changes, ...(await openStage(t, { changes, ...options })) };
  };

  it("a silent socket is closed and one with a heartbeat is not", async (t) => {
    const clock = createSettableClock();
    const { url } = await open(t, { clock, timing: { sweepMs: 5 } });
    const [silent, alive] = [await RawClient.open(t, url), await RawClient.open(t, url)];
    clock.advance(45_000);
    await alive.ask(null, "phoenix", "heartbeat", {});
    clock.advance(30_000);
    await silent.closed;
    assert.deepEqual(await alive.ask(null, "phoenix", "heartbeat", {}), { status: "ok", response: {} });
  });

  it("a socket that sends an invalid frame is closed", async (t) => {
    const { url } = await open(t);
    for (const bytes of ["{", "[1,2]", Buffer.from([9, 9])]) {
      const client = await RawClient.open(t, url);
      client.ws.send(bytes);
      assert.equal(await client.closed, 1003);
    }
  });

  it("a socket that sends a frame with too deep nesting is closed and others continue", async (t) => {
    const { url } = await open(t);
    const other = await RawClient.open(t, url);
    await other.join("realtime:a", { broadcast: { self: true } });
    for (const levels of [1_001, 8_000, 100_000]) {
      const deep = `${"[".repeat(levels)}${"]".repeat(levels)}`;
      for (const event of ["phx_join", "broadcast", "presence", "access_token", "heartbeat"]) {
        const client = await RawClient.open(t, url);
        await client.join("realtime:a", {});
        client.ws.send(`["1","2","realtime:a","${event}",{"event":"track","payload":${deep}}]`);
        assert.equal(await client.closed, 1003, `${event} with ${levels} levels`);
      }
      // In the binary form only the payload is JSON, so the frame itself is valid.
      const client = await RawClient.open(t, url);
      await client.join("realtime:a", { broadcast: { ack: true } });
      client.ws.send(
        Buffer.concat([Buffer.from("\x03\x01\x01\x0a\x01\x00\x0112realtime:ae", "latin1"), Buffer.from(deep)]),
      );
      const [, , , , reply] = await client.next((frame) => frame[1] === "2" && frame[3] === "phx_reply");
      assert.equal(reply["status"], "error");
      assert.match(JSON.stringify(reply["response"]), /must not be nested deeper than 1000 levels/);
    }
    assert.deepEqual(await other.ask(null, "phoenix", "heartbeat", {}), { status: "ok", response: {} });
    assert.deepEqual(
      other.frames.filter((frame) => frame[3] === "broadcast"),
      [],
    );
  });

  it("a socket that sends an oversized frame is closed", async (t) => {
    const { url } = await open(t, { settings: { realtimeFrameLimitBytes: 4096 } });
    const client = await RawClient.open(t, url);
    client.ws.send("x".repeat(5000));
    assert.equal(await client.closed, 1009);
  });

  it("a client that does not read is disconnected at its buffer limit and delays nobody", async (t) => {
    const noted: string[] = [];
    const observer = { note: (name: string) => void noted.push(name), child: () => observer };
    const { url, changes } = await open(t, { settings: { realtimeSendBufferLimitBytes: 256 * 1024 }, observer });
    const [slow, quick] = [await RawClient.open(t, url), await RawClient.open(t, url)];
    await slow.join("realtime:a", CHANGES);
    await quick.join("realtime:b", CHANGES);
    slow.ws.pause();
    const data = JSON.stringify({ filler: "x".repeat(64 * 1024) });
    let sent = 0;
    while (!noted.includes("realtime.slow")) {
      assert.ok(sent < 2_000, "never cut off");
      changes.deliver(data);
      sent += 1;
      await quick.until(() => quick.frames.filter((frame) => frame[3] === "postgres_changes").length >= sent);
    }
    assert.equal(changes.subscribers.size, 1, "the slow one is not subscribed any more");
    slow.ws.resume();
    const [joinRef, ref] = await slow.nextEvent("phx_error");
    assert.deepEqual([joinRef, ref], ["1", "1"]);
    assert.equal(await slow.closed, 1013);
  });

  it("a closed socket ends its channels", async (t) => {
    const { url, changes } = await open(t);
    const client = await RawClient.open(t, url);
    await client.join("realtime:a", CHANGES);
    assert.equal(changes.subscribers.size, 1);
    client.ws.terminate();
    await client.closed;
    for (let polls = 0; changes.subscribers.size > 0; polls += 1) {
      assert.ok(polls < 12_000);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  });

  it("a stopping service closes sockets with going away", async (t) => {
    const { url, module } = await open(t);
    const client = await RawClient.open(t, url);
    await module.close();
    assert.equal(await client.closed, 1001);
  });
});
