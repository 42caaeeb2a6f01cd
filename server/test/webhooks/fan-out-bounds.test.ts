import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import type pg from "pg";
import { WakeUp } from "../../src/jobs/index.ts";
import { type EventStep, runEventLoops } from "../../src/webhooks/dispatcher/run-event-loops.ts";
import { FanOut } from "../../src/webhooks/fan-out.ts";
import { silentObserver } from "../support/silent-observer.ts";
import { openStage } from "./support/stage.ts";

type Query = (query: { readonly values: readonly [number] }) => Promise<{ rows: object[] }>;

/** Runs the loops of the dispatcher without capacity to claim. */
async function runLoops(query: Query, wakeUp: WakeUp, signal: AbortSignal, observer = silentObserver): Promise<void> {
  const fanOut = new FanOut({ pool: { query } as unknown as pg.Pool, schedule: [0] });
  const step = async (): Promise<EventStep> => {
    const { events, hasMore, unclaimed } = await fanOut.step(null);
    return { wasEmpty: events === 0, hasMore, isAllClaimed: unclaimed === 0 };
  };
  await runEventLoops(step, { observer, random: Math.random, wakeUp, everyMs: 1, signal });
}

/** A database in which each event has `deliveriesEach` deliveries and a step with more than `maxDeliveries` fails. */
async function runAgainst(events: number, deliveriesEach: number, maxDeliveries: number): Promise<number[]> {
  const asked: number[] = [];
  const stopping = new AbortController();
  let left = events;
  const wakeUp = new WakeUp();
  const query: Query = async ({ values: [maxEvents] }) => {
    asked.push(maxEvents);
    wakeUp.trigger();
    if (left === 0 || asked.length > 200) stopping.abort();
    const taken = Math.min(left, maxEvents);
    if (taken * deliveriesEach > maxDeliveries) throw new Error("Query read timeout");
    left -= taken;
    return { rows: [{ events: taken, unclaimed: taken * deliveriesEach, hasResumptions: false, id: null }] };
  };
  await runLoops(query, wakeUp, stopping.signal);
  assert.equal(left, 0, `steps of ${asked.join()}`);
  return asked;
}

/** The maximum of concurrent steps with that many waiting events and that many unclaimed deliveries per step. */
async function countConcurrentSteps(events: number, unclaimed: number): Promise<number> {
  const stopping = new AbortController();
  let left = events;
  let running = 0;
  let maxRunning = 0;
  const query: Query = async ({ values: [maxEvents] }) => {
    running += 1;
    maxRunning = Math.max(maxRunning, running);
    await nextTurn();
    running -= 1;
    if (left === 0) stopping.abort();
    const taken = Math.min(left, maxEvents);
    left -= taken;
    return { rows: [{ events: taken, unclaimed, hasResumptions: false }] };
  };
  await runLoops(query, new WakeUp(), stopping.signal);
  return maxRunning;
}

describe("the size of a fan-out step", () => {
  test("a fan-out step shrinks until it succeeds, so that events with very many webhooks cannot block it", async () => {
    await runAgainst(1_000, 1_000, 50_000);
  });

  test("a fan-out step stays small while events have many webhooks, and grows again", async () => {
    const asked = await runAgainst(400, 1_000, 50_000);
    assert.ok(
      asked.slice(6).every((maxEvents) => maxEvents <= 20),
      asked.join(),
    );
    assert.equal(
      (await runAgainst(2_000, 1, 1_000_000)).every((maxEvents) => maxEvents === 200),
      true,
    );
  });
});

describe("concurrent fan-out steps", () => {
  test("two fan-out steps run concurrently while events remain and all deliveries are claimed", async () => {
    assert.equal(await countConcurrentSteps(2_000, 0), 2);
  });

  test("one fan-out step runs when one takes all events", async () => {
    assert.equal(await countConcurrentSteps(199, 0), 1);
  });

  test("one fan-out step runs while deliveries stay unclaimed", async () => {
    assert.equal(await countConcurrentSteps(2_000, 10), 1);
  });
});

describe("polls of the fan-out", () => {
  /** Runs that many polls with a constant wake-up. */
  async function timePolls(count: number, events: number): Promise<{ readonly ms: number; readonly notes: unknown[] }> {
    const stopping = new AbortController();
    const wakeUp = new WakeUp();
    const notes: unknown[] = [];
    let polls = 0;
    const query: Query = async () => {
      polls += 1;
      wakeUp.trigger();
      await nextTurn();
      if (polls === count) setImmediate(() => stopping.abort());
      return { rows: [{ events, unclaimed: 0, hasResumptions: false }] };
    };
    const startedAtMs = performance.now();
    await runLoops(query, wakeUp, stopping.signal, { ...silentObserver, note: (...note) => void notes.push(note) });
    return { ms: performance.now() - startedAtMs, notes };
  }

  test("empty polls of the fan-out slow down, and a stop between them logs nothing", async () => {
    const { ms, notes } = await timePolls(30, 0);
    assert.ok(ms > 200, `30 polls in ${ms} ms`);
    assert.deepEqual(notes, []);
  });

  test("polls of the fan-out that find events follow without delay", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    await timePolls(30, 1);
  });
});

describe("the webhooks of one user", () => {
  test("the number of webhooks per user is limited for every role", async (t) => {
    const stage = await openStage(t);
    const userId = await stage.newUser();
    const insert = (count: number): Promise<unknown> =>
      stage.rows(
        `insert into public.webhooks (user_id, name, url, events)
         select $1, 'w', 'https://example.com/', '{agent.created}' from generate_series(1, $2::int)`,
        [userId, count],
      );
    await insert(1_000);
    await assert.rejects(insert(1), { code: "23514", constraint: "webhooks_limit_per_user" });
    await assert.rejects(insert(2_000), { code: "23514" });
  });
});
