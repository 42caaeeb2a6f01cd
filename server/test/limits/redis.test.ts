import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it, type TestContext } from "node:test";
import { createClient } from "@redis/client";
import { connectStore, type Limits, openLimits, type RateLimitState } from "../../src/limits/index.ts";
import type { Observer } from "../../src/observe/index.ts";
import { systemClock } from "../../src/time/index.ts";
import { findRedisProgram, startRedis } from "./support/redis-server.ts";
import { countSendsHere } from "./support/webhook-sends.ts";
import { until } from "../support/until.ts";

const PROGRAM = findRedisProgram();
const { REDIS_URL: GIVEN_URL } = process.env;
const NO_PROGRAM = PROGRAM === null && "neither valkey-server nor redis-server is on the PATH";
const NO_STORE = GIVEN_URL === undefined && NO_PROGRAM && `REDIS_URL is not set and ${NO_PROGRAM}`;
const MOST_ATTEMPTS = 30;
const AWAY = "limits.store_away";
const BACK = "limits.store_back";

interface Node {
  readonly limits: Limits;
  readonly notes: readonly string[];
  isReady(): boolean;
}

async function openNode(t: TestContext, url: string, limitApi: number): Promise<Node> {
  const notes: string[] = [];
  const observer: Observer = { note: (name) => void notes.push(name), child: () => observer };
  const settings = { limitApi, limitAuth: 0, limitAi: 0, limitTools: 0, limitWebhooks: 0 };
  const { store, close } = await connectStore(url, observer);
  t.after(() => close());
  const countWebhookSend = countSendsHere(0);
  const limits = openLimits({ settings, store, countWebhookSend, clock: systemClock, observer });
  return { limits, notes, isReady: () => store.isReady };
}

async function openTwoNodes(t: TestContext, url: string, limitApi: number): Promise<[Node, Node]> {
  const nodes: [Node, Node] = [await openNode(t, url, limitApi), await openNode(t, url, limitApi)];
  await until(() => nodes.every((node) => node.isReady()));
  return nodes;
}

/** Repeats the work when a busy machine missed the store's deadline. */
async function inTime(nodes: [Node, Node], act: (nodes: [Node, Node]) => Promise<() => void>): Promise<void> {
  const countAway = (): number => nodes.flatMap(({ notes }) => notes).filter((name) => name === AWAY).length;
  for (let attempt = 1; ; attempt += 1) {
    const before = countAway();
    const judge = await act(nodes);
    if (countAway() === before || attempt === MOST_ATTEMPTS) return judge();
    await awaitReturn(...nodes);
  }
}

/** Takes with new keys until the log reports that the store is back. */
async function awaitReturn(...nodes: readonly Node[]): Promise<void> {
  await until(async () => {
    for (const { limits } of nodes) await limits.take("api", randomUUID());
    return nodes.every(({ notes }) => notes.lastIndexOf(BACK) >= notes.lastIndexOf(AWAY));
  });
}

const outcome = (rateLimitState: RateLimitState | null): number | "exceeded" | null =>
  rateLimitState === null ? null : rateLimitState.isExceeded ? "exceeded" : rateLimitState.remaining;

describe("an available Redis store", { skip: NO_STORE }, () => {
  const locate = async (t: TestContext): Promise<string> => GIVEN_URL ?? (await startRedis(t, PROGRAM ?? "")).url;

  it("counts for two nodes together for a minute", async (t) => {
    const nodes = await openTwoNodes(t, await locate(t), 3);
    await inTime(nodes, async ([a, b]) => {
      const key = randomUUID();
      const first = await a.limits.take("api", key);
      const more = [await b.limits.take("api", key), await a.limits.take("api", key), await b.limits.take("api", key)];
      const leftMs = (first?.resetAt.getTime() ?? 0) - Date.now();
      return () => {
        assert.deepEqual([first, ...more].map(outcome), [2, 1, 0, "exceeded"]);
        assert.ok(leftMs > 0 && leftMs <= 60_000, `${leftMs} ms`);
      };
    });
  });

  it("admits exactly the limit of concurrent calls over both nodes", async (t) => {
    const nodes = await openTwoNodes(t, await locate(t), 20);
    await inTime(nodes, async () => {
      const key = randomUUID();
      const calls = Array.from({ length: 50 }, () => nodes.map(({ limits }) => limits.take("api", key)));
      const rateLimitStates = await Promise.all(calls.flat());
      return () =>
        assert.equal(rateLimitStates.filter((rateLimitState) => rateLimitState?.isExceeded === false).length, 20);
    });
  });

  it("gets one command per call, and none for a key that has exceeded its limit", async (t) => {
    const url = await locate(t);
    const nodes = await openTwoNodes(t, url, 50);
    const client = createClient({ url });
    client.on("error", () => {});
    await client.connect();
    t.after(() => client.destroy());
    const countAsked = async (): Promise<number> =>
      Number(/^cmdstat_eval(?:sha)?:calls=(\d+)/m.exec(await client.info("commandstats"))?.[1] ?? 0);
    await inTime(nodes, async ([{ limits }]) => {
      const key = randomUUID();
      const before = await countAsked();
      const outcomes: unknown[] = [];
      for (let call = 0; call < 100; call += 1) outcomes.push(outcome(await limits.take("api", key)));
      const asked = (await countAsked()) - before;
      return () => {
        const left = Array.from({ length: 50 }, (_, call) => 49 - call);
        assert.deepEqual(outcomes, [...left, ...left.map(() => "exceeded")]);
        // Other programs can use the same server.
        if (GIVEN_URL === undefined) assert.equal(asked, 50);
        else assert.ok(asked >= 50);
      };
    });
  });
});

describe("an unavailable Redis store", { skip: NO_PROGRAM }, () => {
  it("is replaced by local counts when it is killed, and used again when it is back", async (t) => {
    const redis = await startRedis(t, PROGRAM ?? "");
    const [a, b] = await openTwoNodes(t, redis.url, 1_000);
    const underWay = Array.from({ length: 200 }, (_, index) => a.limits.take("api", `k${index % 7}`));
    const killed = redis.kill();
    for (const rateLimitState of await Promise.all(underWay)) assert.equal(rateLimitState?.isExceeded, false);
    await killed;
    await until(() => !a.isReady() && !b.isReady());
    const key = randomUUID();
    // Each node counts alone.
    for (const { limits } of [a, b]) assert.equal(outcome(await limits.take("api", key)), 999);
    assert.equal(a.notes.filter((name) => name === AWAY).length, 1);

    redis.startAgain();
    await awaitReturn(a, b);
    await inTime([a, b], async () => {
      const shared = randomUUID();
      const rateLimitStates = [await a.limits.take("api", shared), await b.limits.take("api", shared)];
      return () => assert.deepEqual(rateLimitStates.map(outcome), [999, 998]);
    });
  });

  it("is replaced by local counts while it does not respond, and delays few calls", async (t) => {
    const redis = await startRedis(t, PROGRAM ?? "");
    const [a] = await openTwoNodes(t, redis.url, 1_000);
    redis.signal("SIGSTOP");
    t.after(() => redis.signal("SIGCONT"));
    await until(() => redis.isStopped());
    const tookMs: number[] = [];
    for (let call = 0; call < 50; call += 1) {
      const startedMs = performance.now();
      assert.equal(outcome(await a.limits.take("api", "k")), 999 - call);
      tookMs.push(performance.now() - startedMs);
    }
    // A call that waits for the store takes at least a hundred milliseconds.
    assert.ok(
      tookMs.filter((ms) => ms > 90).length < 25,
      `calls wait for a store that says nothing: ${tookMs.join(" ")}`,
    );
    redis.signal("SIGCONT");
    await awaitReturn(a);
  });

  it("that is down when a node starts is used when it is up", async (t) => {
    const redis = await startRedis(t, PROGRAM ?? "");
    await redis.kill();
    const node = await openNode(t, redis.url, 3);
    assert.equal(outcome(await node.limits.take("api", "k")), 2);
    redis.startAgain();
    await awaitReturn(node);
  });
});
