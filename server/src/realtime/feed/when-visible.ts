import { setTimeout as sleep } from "node:timers/promises";
import { shareRuns } from "@swarmbase/concurrency";
import type pg from "pg";
import { selectSnapshot } from "./sql/feed-statements.ts";

const HALF = 2n ** 31n;
const WHOLE = 2n ** 32n;
/** A commit usually becomes visible within microseconds, so the first repetitions do not pause. */
const IMMEDIATE_RETRIES = 4;
const RETRY_MS = 1;
const TIMEOUT_MS = 5_000;

/** Resolves when new snapshots of the database include the transaction. */
export type WhenVisible = (xid: number) => Promise<void>;

/** The WAL reports a commit a moment before other transactions see it, so a query about a change has to wait. */
export function createWhenVisible(pool: pg.Pool): WhenVisible {
  const takeSnapshot = shareRuns(async () => readSnapshot(await selectSnapshot(pool)));
  // Of several transactions that arrive together, the snapshot for the first usually includes the others.
  let isVisible = (_xid: bigint): boolean => false;
  return async (xid) => {
    const untilMs = performance.now() + TIMEOUT_MS;
    for (let tries = 0; !isVisible(BigInt(xid)); tries += 1) {
      if (untilMs < performance.now()) throw new Error("a commit did not become visible");
      if (tries > IMMEDIATE_RETRIES) await sleep(RETRY_MS);
      isVisible = await takeSnapshot();
    }
  };
}

/** `xmin:xmax:xip,xip`, all with the epoch that the WAL leaves out. */
export function readSnapshot(text: string): (xid: bigint) => boolean {
  const [, end = "0", running = ""] = text.split(":");
  const xmax = BigInt(end);
  const inProgress = new Set(running.split(","));
  return (xid) => {
    let whole = (xmax / WHOLE) * WHOLE + xid;
    if (whole - xmax > HALF) whole -= WHOLE;
    else if (xmax - whole > HALF) whole += WHOLE;
    return whole < xmax && !inProgress.has(String(whole));
  };
}
