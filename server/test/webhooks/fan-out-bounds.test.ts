import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import type pg from "pg";
import { systemClock } from "../../src/time/index.ts";
import { WakeUp, type Worker } from "../../src/jobs/index.ts";
import { createFanOut } from "../../src/webhooks/fan-out.ts";
import { silentObserver } from "../support/silent-observer.ts";
import { openStage } from "./support/stage.ts";

const NO_ROOM = { waitForRoom: async () => {}, offer: () => null };

type Query = (asked: { readonly values: readonly [number] }) => Promise<{ rows: object[] }>;

const workWith = (query: Query, wakeUp: WakeUp, observer = silentObserver): Worker =>
  createFanOut(
    {
      pool: { query } as unknown as pg.Pool,
      outbound: {
        post: () => Promise.reject(new Error()),
        close: async () => {},
        size: { origins: 0, connections: 0 },
      },
      observer,
      clock: systemClock,
      random: Math.random,
      schedule: [0],
      disableRule: { failingDays: 5, minFailures: 20, warnAfterDays: 1 },
      sendLimit: 0,
    },
    { wakeUp, pollMs: 1, intake: NO_ROOM, onDeliveries: () => {} },
  );

/** A database in which each event is `deliveriesEach` deliveries, and a step that makes more than `most` of them fails. */
async function runAgainst(events: number, deliveriesEach: number, most: number): Promise<number[]> {
  const asked: number[] = [];
  const stopping = new AbortController();
  let left = events;
  const wakeUp = new WakeUp();
  const query: Query = async ({ values: [maxEvents] }) => {
    asked.push(maxEvents);
    wakeUp.trigger();
    if (left === 0 || asked.length > 200) stopping.abort();
    const taken = Math.min(left, maxEvents);
    if (taken * deliveriesEach > most) throw new Error("Query read timeout");
    left -= taken;
    return { rows: [{ events: taken, unclaimed: taken * deliveriesEach, has_resumptions: false, id: null }] };
  };
  await workWith(query, wakeUp).run(stopping.signal);
  assert.equal(left, 0, `steps of ${asked.join()}`);
  return asked;
}

/** The most steps under way at a time, with so many events that wait and so many deliveries of a step that nobody claims. */
async function countSteps(events: number, unclaimed: number): Promise<number> {
  const stopping = new AbortController();
  let left = events;
  let underWay = 0;
  let most = 0;
  const query: Query = async ({ values: [maxEvents] }) => {
    underWay += 1;
    most = Math.max(most, underWay);
    await nextTurn();
    underWay -= 1;
    if (left === 0) stopping.abort();
    const taken = Math.min(left, maxEvents);
    left -= taken;
    return { rows: [{ events: taken, unclaimed, has_resumptions: false }] };
  };
  await workWith(query, new WakeUp()).run(stopping.signal);
  return most;
}

describe("the work of one step of the fan-out", () => {
  test("shrinks until it can be done, so that events with very many readers hold up nobody for ever", async () => {
    await runAgainst(1_000, 1_000, 50_000);
  });

  test("stays small while events have many readers, and grows again", async () => {
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

describe("steps of the fan-out", () => {
  test("are two at a time while there is more than one takes, and room for all of it", async () => {
    assert.equal(await countSteps(2_000, 0), 2);
  });

  test("are one at a time when one is enough", async () => {
    assert.equal(await countSteps(199, 0), 1);
  });

  test("are one at a time when there is no room for what the last one made", async () => {
    assert.equal(await countSteps(2_000, 10), 1);
  });
});

describe("looks of the fan-out", () => {
  /** How long so many take while somebody rings all the time. */
  async function timeLooks(count: number, events: number): Promise<{ readonly ms: number; readonly notes: unknown[] }> {
    const stopping = new AbortController();
    const wakeUp = new WakeUp();
    const notes: unknown[] = [];
    let looks = 0;
    const query: Query = async () => {
      looks += 1;
      wakeUp.trigger();
      await nextTurn();
      if (looks === count) setImmediate(() => stopping.abort());
      return { rows: [{ events, unclaimed: 0, has_resumptions: false }] };
    };
    const startedAtMs = performance.now();
    await workWith(query, wakeUp, { ...silentObserver, note: (...said) => void notes.push(said) }).run(stopping.signal);
    return { ms: performance.now() - startedAtMs, notes };
  }

  test("come ever less often while they find nothing, and a stop in between is no fault", async () => {
    const { ms, notes } = await timeLooks(30, 0);
    assert.ok(ms > 200, `30 looks in ${ms} ms`);
    assert.deepEqual(notes, []);
  });

  test("do not wait for each other where there is something to find", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    await timeLooks(30, 1);
  });
});

describe("the webhooks of one user", () => {
  test("are bounded, whoever makes them", async (t) => {
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
