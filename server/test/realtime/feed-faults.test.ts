import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, it } from "node:test";
import { connectClient } from "../../src/db/index.ts";
import { bind, principalOf, openFeedStage } from "./feed-stage.ts";
import { until } from "../support/until.ts";

const KILL_SENDERS = `select pg_terminate_backend(active_pid) from pg_replication_slots
  where database = current_database() and active_pid is not null`;

describe("a change feed that is lost", () => {
  const opened = openFeedStage();
  /** The owner may not end the connections of another login. */
  const asAdmin = async (text: string): Promise<void> => {
    const admin = await connectClient(opened.stage.database.adminUrl);
    try {
      await admin.query(text);
    } finally {
      await admin.end();
    }
  };

  /** The server drops the slot some time after the connection ends, and a node that lost the feed creates a new one. */
  const settle = (): Promise<void> =>
    until(async () => opened.node.changes.state() === "live" && (await opened.stage.slots()) === 1);

  it("a lost feed ends all subscriptions, and new ones wait until it is live again", async () => {
    const { stage, node } = opened;
    const owner = await stage.newUser();
    const first = await stage.subscribe(node, principalOf(owner), [bind("agents")]);
    await asAdmin(KILL_SENDERS);
    await first.until(() => first.losses.length >= 1);
    assert.notEqual(node.changes.state(), "live");
    const second = await stage.subscribe(node, principalOf(owner), [bind("agents")]);
    const id = await stage.newAgent(owner);
    assert.equal((await second.next())[0]?.record?.["id"], id);
    assert.deepEqual(first.received, []);
    await settle();
  });

  it("a repeatedly lost feed reconnects and leaves no slot", async () => {
    const { stage, node } = opened;
    const owner = await stage.newUser();
    for (let round = 0; round < 10; round += 1) {
      const listener = await stage.subscribe(node, principalOf(owner), [bind("agents")]);
      const id = await stage.newAgent(owner);
      assert.equal((await listener.next())[0]?.record?.["id"], id);
      await asAdmin(KILL_SENDERS);
      await listener.until(() => listener.losses.length >= 1);
    }
    await settle();
  });

  it("the feed survives the loss of all database connections", async () => {
    const { stage, node } = opened;
    const owner = await stage.newUser();
    const listener = await stage.subscribe(node, principalOf(owner), [bind("agents")]);
    await asAdmin(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename in ('sb_service', 'sb_user', 'sb_replica')",
    );
    await listener.until(() => listener.losses.length >= 1);
    const again = await stage.subscribe(node, principalOf(owner), [bind("agents")]);
    const id = await waitForValue(() => stage.newAgent(owner));
    assert.equal((await again.next())[0]?.record?.["id"], id);
  });

  it("a lost feed is logged and a stopped one is not", async () => {
    const { stage } = opened;
    const node = stage.startNode();
    await until(() => node.notes.length >= 1);
    await asAdmin(KILL_SENDERS);
    await until(() => node.notes.length >= 3);
    await node.stop();
    assert.deepEqual(node.notes, ["realtime.live", "realtime.feed_lost", "realtime.live"]);
  });

  it("a stopped feed drops its slot", async () => {
    const { stage } = opened;
    await settle();
    const node = stage.startNode();
    await until(() => node.changes.state() === "live");
    assert.equal(await stage.slots(), 2);
    await node.stop();
    await until(async () => (await stage.slots()) === 1);
  });

  it("the slot of a killed process is dropped", async () => {
    const { stage } = opened;
    await settle();
    const child = spawn(
      process.execPath,
      ["-C", "swarmbase-source", new URL("feed-process.ts", import.meta.url).pathname],
      {
        env: {
          ...process.env,
          FEED_URL: stage.replicaUrl,
          ADMIN_URL: stage.database.adminUrl,
          MASTER: stage.database.masterKey,
        },
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    try {
      await once(child.stdout, "data");
      assert.equal(await stage.slots(), 2);
    } finally {
      child.kill("SIGKILL");
    }
    await until(async () => (await stage.slots()) === 1);
  });

  it("an unavailable feed gives the reason", async () => {
    const { stage } = opened;
    const rejected = stage.startNode({}, stage.database.url("sb_user"));
    await until(() => rejected.changes.state() === "unavailable");
    assert.match(rejected.changes.reason() ?? "", /may not replicate/);
    await assert.rejects(stage.subscribe(rejected, principalOf("anon"), []), /may not replicate/);
    await rejected.stop();
    const unknown = stage.startNode({}, stage.replicaUrl.replace(/:[^:@/]+@/, ":wrong@"));
    const waiting = stage.subscribe(unknown, principalOf("anon"), []);
    await assert.rejects(waiting, /another password/);
    await unknown.stop();
  });

  it("an abort ends a pending subscribe call", async () => {
    const { stage } = opened;
    const node = stage.startNode({}, stage.replicaUrl.replace(/@[^/]*\/.*$/, "@127.0.0.1:1/none"));
    const stopping = new AbortController();
    const waiting = node.changes.subscribe(
      { principal: principalOf("anon"), bindings: [], deliver() {}, lose() {} },
      stopping.signal,
    );
    stopping.abort(new Error("enough"));
    await assert.rejects(waiting, /enough/);
    assert.equal(node.changes.state(), "connecting");
    await node.stop();
  });
});

async function waitForValue<T>(make: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await make();
    } catch (error) {
      if (attempt === 20) throw error;
    }
  }
}
