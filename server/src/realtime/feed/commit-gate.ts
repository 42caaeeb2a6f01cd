import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { shareRuns } from "../../concurrency/index.ts";
import { selectSnapshot } from "./sql/select-snapshot.ts";

const HALF = 2n ** 31n;
const WHOLE = 2n ** 32n;
const RETRY_MS = 1;
const TIMEOUT_MS = 5_000;

/**
 * The WAL reports a commit a moment before other transactions see it. A query about a change waits here
 * until the result cannot be from before the commit.
 */
export class CommitGate {
  readonly #readSnapshot: () => Promise<(xid: bigint) => boolean>;

  constructor(pool: pg.Pool) {
    this.#readSnapshot = shareRuns(async () => readSnapshot(await selectSnapshot(pool)));
  }

  async pass(xid: number): Promise<void> {
    const untilMs = performance.now() + TIMEOUT_MS;
    for (;;) {
      const isVisible = await this.#readSnapshot();
      if (isVisible(BigInt(xid))) return;
      if (untilMs < performance.now()) throw new Error("a commit did not become visible");
      await sleep(RETRY_MS);
    }
  }
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
