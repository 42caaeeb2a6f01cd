import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type AttachedFeed,
  FeedRelay,
  type FeedSource,
  openRelayedStream,
  openReplication,
} from "../../src/realtime/index.ts";
import { until } from "../support/until.ts";
import { bind, type FeedStage, type Node, openFeedStage, principalOf } from "./feed-stage.ts";

const LIMITS = { windowBytes: 1_000, maxWaitingBytes: 20_000, stallMs: 50 };

interface RelayedNode {
  readonly node: Node;
  /** What it was sent. */
  readonly texts: readonly string[];
  setSlow(isSlow: boolean): void;
}

/** Reads the feed once for the nodes that `startNode` starts. */
function startRelay(stage: FeedStage) {
  const notes: string[] = [];
  const observer = { note: (name: string) => void notes.push(name), child: () => observer };
  const pool = stage.startNode().database.service;
  const relay = new FeedRelay({ openStream: openReplication(stage.replicaUrl), pool, observer, limits: LIMITS });
  const stopping = new AbortController();
  const running = relay.worker.run(stopping.signal);
  const stop = async (): Promise<void> => {
    stopping.abort();
    await running;
  };
  /** A process that takes messages as long as `isSlow` is false. */
  const startNode = (): RelayedNode => {
    let [attached, isSlow, held]: [AttachedFeed | null, boolean, number] = [null, false, 0];
    const texts: string[] = [];
    const source: FeedSource = {
      attach: async (listener) => {
        held = 0;
        const found = await relay.attach({
          send: (content) => {
            texts.push(content.toString());
            listener.deliver(Buffer.from(content));
          },
          lose: (reason) => listener.lose(reason),
        });
        if ("unavailable" in found) return found;
        attached = found;
        return { unavailable: null };
      },
      take: (bytes) => {
        if (isSlow) held += bytes;
        else attached?.take(bytes);
      },
      follow: async (tables) => attached?.follow(tables) ?? [],
      detach: () => attached?.close(),
    };
    const setSlow = (next: boolean): void => {
      isSlow = next;
      if (!isSlow) attached?.take(held);
      held = 0;
    };
    return { node: stage.startNode({}, stage.replicaUrl, openRelayedStream(source, 0)), setSlow, texts };
  };
  return { relay, notes, startNode, stop };
}

describe("a feed that is read once for several processes", () => {
  const opened = openFeedStage();

  it("gives each all changes, also one that attaches after tables were described", async () => {
    const { stage } = opened;
    const relay = startRelay(stage);
    const owner = await stage.newUser();
    const { node: first } = relay.startNode();
    const early = await stage.subscribe(first, principalOf(owner), [bind("agents")]);
    await stage.newAgent(owner, { name: "one" });
    await early.next();
    const { node: second } = relay.startNode();
    const late = await stage.subscribe(second, principalOf(owner), [bind("agents")]);
    await stage.newAgent(owner, { name: "two" });
    for (const listener of [early, late]) {
      const [change] = await listener.next();
      assert.equal(change?.record?.["name"], "two");
    }
    await relay.stop();
  });

  it("passes a change only to processes that follow its table, from the moment of their join on", async () => {
    const { stage } = opened;
    const relay = startRelay(stage);
    const owner = await stage.newUser();
    const [following, idle] = [relay.startNode(), relay.startNode()];
    const listener = await stage.subscribe(following.node, principalOf(owner), [bind("agents")]);
    await until(() => idle.node.changes.state() === "live", "the other process has attached");
    await stage.newAgent(owner, { name: "for one process" });
    await listener.next();
    await stage.settle(idle.node);
    assert.equal(idle.texts.join("").includes("for one process"), false);

    // Rows are written all the time while the other one joins.
    let [isJoined, count] = [false, 0];
    const writing = (async () => {
      for (; !isJoined; count += 1) await stage.newAgent(owner, { name: `early ${count}` });
    })();
    const late = await stage.subscribe(idle.node, principalOf(owner), [bind("agents")]);
    isJoined = true;
    const names = ["a", "b", "c"];
    for (const name of names) await stage.newAgent(owner, { name });
    await writing;
    await late.until(() => names.every((name) => late.received.some(({ record }) => record?.["name"] === name)));
    await listener.until(() => listener.received.length >= count + names.length);
    await relay.stop();
  });

  it("cuts a process that takes nothing, which then attaches again; the others go on", async () => {
    const { stage } = opened;
    const relay = startRelay(stage);
    const owner = await stage.newUser();
    const [slow, other] = [relay.startNode(), relay.startNode()];
    const [cut, kept] = await Promise.all(
      [slow, other].map(({ node }) => stage.subscribe(node, principalOf(owner), [bind("agents")])),
    );
    const lives = slow.node.changes.liveCount();
    slow.setSlow(true);
    const names = Array.from({ length: 30 }, (_, at) => `agent ${at} ${"x".repeat(50)}`);
    for (const name of names) await stage.newAgent(owner, { name, system_prompt: "y".repeat(1_000) });
    const changes = await kept?.next(names.length);
    assert.deepEqual(
      changes?.map(({ record }) => record?.["name"]),
      names,
    );
    await until(() => slow.node.changes.liveCount() > lives, "the slow process has attached again");
    assert.deepEqual([relay.notes.includes("realtime.process_cut"), cut?.losses.length], [true, 1]);
    slow.setSlow(false);
    const again = await stage.subscribe(slow.node, principalOf(owner), [bind("agents")]);
    await stage.newAgent(owner, { name: "after" });
    assert.equal((await again.next())[0]?.record?.["name"], "after");
    await relay.stop();
  });
});
