import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { Volume } from "./open-volume.ts";
import { type Maintained, readMaintained } from "./read-maintained.ts";

/** A little more than the fifth at which autovacuum is due. */
const UPDATED_SHARE = 0.22;
const BATCHES = 20;
const POLL_MS = 1_000;
const TIMEOUT_MS = 1_200_000;

/** Updates as many deliveries of today's partition as autovacuum waits for, and describes what it then takes. */
export async function measureAutovacuum({ connect }: Volume): Promise<string> {
  const owner = await connect();
  const before = await readToday(owner);
  const pages = Math.ceil((before.pages * UPDATED_SHARE) / BATCHES);
  for (let batch = 0; batch < BATCHES; batch += 1)
    await owner.query(
      `update ${before.partition} set attempts = attempts where ctid >= '(${batch * pages},0)' and ctid < '(${(batch + 1) * pages},0)'`,
    );
  let most = await readToday(owner);
  let after = most;
  for (
    const deadline = performance.now() + TIMEOUT_MS;
    after.vacuums === before.vacuums;
    after = await readToday(owner)
  ) {
    if (performance.now() > deadline) throw new Error("autovacuum did not finish");
    if (after.dead > most.dead) most = after;
    await sleep(POLL_MS);
  }
  return (
    `Autovacuum of today's partition, ${count(before.rows)} deliveries, was due at ${count(before.dueAtDead)} dead rows and found ${count(most.dead)}. ` +
    `It took ${((after.vacuumMs - before.vacuumMs) / 1_000).toFixed(0)} s and left ${count(after.dead)}.`
  );
}

async function readToday(owner: pg.Client): Promise<Maintained> {
  const today = (await readMaintained(owner)).find(({ name }) => name === "webhook_deliveries");
  if (today === undefined) throw new Error("there is no partition for today");
  return today;
}

function count(rows: number): string {
  return Math.round(rows).toLocaleString("en");
}
