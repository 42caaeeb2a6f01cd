import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type pg from "pg";
import { systemClock } from "../../src/time/index.ts";
import { Alarm } from "../../src/jobs/index.ts";
import { createFanOut } from "../../src/webhooks/fan-out.ts";
import { silentObserver } from "../support/silent-observer.ts";
import { openStage } from "./support/stage.ts";

const NO_ROOM = { waitForRoom: async () => {}, offer: () => null };

/** A database in which each event is `deliveriesEach` deliveries, and a step that makes more than `most` of them fails. */
async function runAgainst(events: number, deliveriesEach: number, most: number): Promise<number[]> {
  const asked: number[] = [];
  const stopping = new AbortController();
  let left = events;
  const alarm = new Alarm();
  const query = async (_text: string, [maxEvents]: readonly [number]): Promise<{ rows: object[] }> => {
    asked.push(maxEvents);
    alarm.ring();
    if (left === 0 || asked.length > 200) stopping.abort();
    const taken = Math.min(left, maxEvents);
    if (taken * deliveriesEach > most) throw new Error("Query read timeout");
    left -= taken;
    return { rows: [{ events: taken, unclaimed: taken * deliveriesEach, has_resumptions: false, id: null }] };
  };
  const worker = createFanOut(
    {
      pool: { query } as unknown as pg.Pool,
      outbound: {
        post: () => Promise.reject(new Error()),
        close: async () => {},
        size: { origins: 0, connections: 0 },
      },
      observer: silentObserver,
      clock: systemClock,
      random: Math.random,
      schedule: [0],
      disableRule: { failingDays: 5, minFailures: 20, warnAfterDays: 1 },
    },
    { alarm, pollMs: 1, intake: NO_ROOM, onDeliveries: () => {} },
  );
  await worker.run(stopping.signal);
  assert.equal(left, 0, `steps of ${asked.join()}`);
  return asked;
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
