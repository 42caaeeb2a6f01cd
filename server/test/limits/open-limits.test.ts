import assert from "node:assert/strict";
import { describe, it, mock, type TestContext } from "node:test";
import {
  type Limits,
  type LimitSettings,
  openLimits,
  rateLimitedError,
  type RateLimitState,
} from "../../src/limits/index.ts";
import type { Observer } from "../../src/observe/index.ts";
import { systemClock } from "../../src/time/index.ts";
import { createMemoryStore, type MemoryStore } from "./support/memory-store.ts";
import { countSendsHere } from "./support/webhook-sends.ts";
import { WAIT_MS } from "../support/wait-limit.ts";

const SETTINGS: LimitSettings = { limitApi: 3, limitAuth: 2, limitAi: 1, limitTools: 1, limitWebhooks: 1 };
const START_MS = Date.UTC(2026, 0, 1);
/** How long a store that does not respond is not used. */
const STORE_RESTS_MS = 1_000;

function open(settings: Partial<LimitSettings> = {}, store: MemoryStore | null = null) {
  const notes: string[] = [];
  const observer: Observer = { note: (name) => void notes.push(name), child: () => observer };
  const limits = openLimits({
    settings: { ...SETTINGS, ...settings },
    store,
    countWebhookSend: countSendsHere(SETTINGS.limitWebhooks),
    clock: systemClock,
    observer,
  });
  return { limits, notes };
}

/** A clock that only tests advance. */
function stopClock(t: TestContext): void {
  mock.timers.enable({ apis: ["Date", "setTimeout"], now: START_MS });
  t.after(() => mock.timers.reset());
}

async function take(limits: Limits, key: string): Promise<RateLimitState> {
  const rateLimitState = await limits.take("api", key);
  assert.ok(rateLimitState !== null);
  return rateLimitState;
}

function outcomeOf(rateLimitState: RateLimitState | null): unknown[] {
  return [rateLimitState?.isExceeded, rateLimitState?.remaining, rateLimitState?.retryAfterSeconds];
}

async function remainingOf(limits: Limits, key: string, calls: number): Promise<(number | "exceeded")[]> {
  const remaining: (number | "exceeded")[] = [];
  for (let call = 0; call < calls; call += 1) {
    const rateLimitState = await take(limits, key);
    remaining.push(rateLimitState.isExceeded ? "exceeded" : rateLimitState.remaining);
  }
  return remaining;
}

describe("a window", () => {
  it("opens with the first call, counts down, rejects, and restarts after a minute", async (t) => {
    stopClock(t);
    const { limits } = open();
    const resetAt = new Date(START_MS + 60_000);
    assert.deepEqual(await take(limits, "a"), {
      limit: 3,
      remaining: 2,
      resetAt,
      retryAfterSeconds: 60,
      isExceeded: false,
    });
    mock.timers.tick(30_500);
    assert.deepEqual(await remainingOf(limits, "a", 2), [1, 0]);
    assert.deepEqual(await take(limits, "a"), {
      limit: 3,
      remaining: 0,
      resetAt,
      retryAfterSeconds: 30,
      isExceeded: true,
    });
    mock.timers.tick(29_499);
    assert.equal((await take(limits, "a")).isExceeded, true);
    mock.timers.tick(1);
    assert.deepEqual(await remainingOf(limits, "a", 4), [2, 1, 0, "exceeded"]);
  });

  it("is separate for each key and each row", async () => {
    const { limits } = open();
    assert.deepEqual(await remainingOf(limits, "a", 4), [2, 1, 0, "exceeded"]);
    assert.deepEqual(await remainingOf(limits, "b", 1), [2]);
    assert.equal((await limits.take("ai", "a"))?.isExceeded, false);
    assert.equal((await limits.take("ai", "a"))?.isExceeded, true);
    assert.equal((await limits.take("tool", "a"))?.isExceeded, false);
  });

  it("of webhook sends is counted in the database with those of the workers", async () => {
    const store = createMemoryStore();
    const { limits, notes } = open({}, store);
    assert.deepEqual(outcomeOf(await limits.take("webhook", "user:a")), [false, 0, 60]);
    assert.deepEqual(outcomeOf(await limits.take("webhook", "user:a")), [true, 0, 60]);
    assert.deepEqual(outcomeOf(await limits.take("webhook", "user:b")), [false, 0, 60]);
    await assert.rejects(limits.take("webhook", "ip:127.0.0.1"), /not the key of a user/);
    assert.equal(store.asked, 0);
    assert.deepEqual(notes, ["limit.hit"]);
    assert.equal(await open({ limitWebhooks: 0 }).limits.take("webhook", "user:a"), null);
  });

  it("is off when the limit is 0", async () => {
    const { limits } = open({ limitApi: 0, limitAuth: 0 });
    for (const window of ["api", "auth", "authEmail", "refusedRefresh"] as const) {
      assert.equal(await limits.take(window, "a"), null, window);
    }
    assert.equal(await limits.isExhausted("refusedRefresh", "a"), false);
  });

  it("of an e-mail address is ten times the row's", async () => {
    const { limits } = open();
    assert.deepEqual([(await limits.take("auth", "a"))?.limit, (await limits.take("authEmail", "a"))?.limit], [2, 20]);
  });

  it("can be read without counting", async () => {
    const { limits } = open({ limitApi: 1 });
    assert.equal(await limits.isExhausted("refusedRefresh", "a"), false);
    assert.equal(await limits.isExhausted("refusedRefresh", "a"), false);
    await limits.take("refusedRefresh", "a");
    assert.equal(await limits.isExhausted("refusedRefresh", "a"), true);
    assert.equal(await limits.isExhausted("refusedRefresh", "b"), false);
  });

  for (const [where, openStore] of [
    ["of this node", () => null],
    ["in a shared store", createMemoryStore],
  ] as const)
    it(`${where} can be read without counting`, async () => {
      const { limits, notes } = open({}, openStore());
      const peek = async (): Promise<number | undefined> => (await limits.peek("api", "a"))?.remaining;
      assert.deepEqual([await peek(), await peek()], [3, 3]);
      await take(limits, "a");
      assert.deepEqual([await peek(), await peek()], [2, 2]);
      for (let call = 0; call < 4; call += 1) await take(limits, "a");
      assert.equal(await peek(), 0);
      assert.deepEqual(notes, ["limit.hit", "limit.hit"], "reading is not counted");
      assert.equal(await open({ limitApi: 0 }).limits.peek("api", "a"), null);
    });

  it("admits exactly the remaining number of concurrent calls", async () => {
    const { limits } = open();
    const rateLimitStates = await Promise.all(Array.from({ length: 20 }, () => take(limits, "a")));
    assert.equal(rateLimitStates.filter(({ isExceeded }) => !isExceeded).length, 3);
  });
});

describe("a shared store", () => {
  it("is counted by all nodes together and expires after a minute", async (t) => {
    stopClock(t);
    const store = createMemoryStore();
    const [a, b] = [open({}, store).limits, open({}, store).limits];
    assert.deepEqual(await remainingOf(a, "k", 2), [2, 1]);
    assert.deepEqual(await remainingOf(b, "k", 2), [0, "exceeded"]);
    assert.deepEqual(await remainingOf(a, "k", 1), ["exceeded"]);
    mock.timers.tick(60_000);
    assert.deepEqual(await remainingOf(b, "k", 1), [2]);
  });

  it("is not called again for a key that has exceeded its limit", async () => {
    const store = createMemoryStore();
    const { limits } = open({}, store);
    await remainingOf(limits, "k", 3);
    assert.equal(store.asked, 3);
    assert.deepEqual(await remainingOf(limits, "k", 5), Array(5).fill("exceeded"));
    assert.equal(store.asked, 3);
  });

  it("that fails or is not connected leaves each node to count alone, which is logged once", async (t) => {
    mock.timers.enable({ apis: ["Date"], now: START_MS });
    t.after(() => mock.timers.reset());
    for (const hurt of [
      (store: MemoryStore) => (store.mood = "failing"),
      (store: MemoryStore) => (store.isReady = false),
    ]) {
      const store = createMemoryStore();
      hurt(store);
      const { limits, notes } = open({}, store);
      assert.deepEqual(await remainingOf(limits, "k", 4), [2, 1, 0, "exceeded"]);
      assert.deepEqual(notes, ["limits.store_away", "limit.hit"]);
    }
  });

  it("that does not respond delays few calls and is used again when it does", async () => {
    const store = createMemoryStore();
    store.mood = "silent";
    const { limits, notes } = open({ limitApi: 1000 }, store);
    const startedMs = performance.now();
    for (let call = 0; call < 50; call += 1) await take(limits, "k");
    // Only calls that use the store wait for it.
    const elapsedMs = performance.now() - startedMs;
    assert.ok(
      store.asked >= 1 && store.asked <= 1 + Math.floor(elapsedMs / STORE_RESTS_MS),
      `asked ${store.asked} times`,
    );
    store.mood = "well";
    const deadlineMs = performance.now() + WAIT_MS;
    while (!notes.includes("limits.store_back") && performance.now() < deadlineMs) {
      await take(limits, "k");
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.deepEqual(notes, ["limits.store_away", "limits.store_back"]);
  });

  it("that fails one call and succeeds the next is used again at once", async () => {
    const store = createMemoryStore();
    const { limits, notes } = open({ limitApi: 1000 }, store);
    store.mood = "failing";
    const failing = take(limits, "a");
    store.mood = "well";
    await Promise.all([failing, take(limits, "b")]);
    assert.deepEqual(notes, ["limits.store_away", "limits.store_back"]);
    await take(limits, "c");
    assert.equal(store.asked, 3);
  });
});

describe("the RATE_LIMITED error", () => {
  it("contains the row, its limit and the time to wait", async (t) => {
    stopClock(t);
    const { limits } = open({ limitAi: 1 });
    await limits.take("ai", "u");
    const rateLimitState = await limits.take("ai", "u");
    assert.ok(rateLimitState?.isExceeded);
    const error = rateLimitedError("ai", rateLimitState);
    assert.deepEqual([error.code, error.status, error.extra.retryAfterSeconds], ["RATE_LIMITED", 429, 60]);
    assert.equal(error.message, "Request rate limit reached: AI responses, 1 per minute");
  });
});
