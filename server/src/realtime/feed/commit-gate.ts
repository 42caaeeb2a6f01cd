import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { selectSnapshot } from "./sql/select-snapshot.ts";

const HALF = 2n ** 31n;
const WHOLE = 2n ** 32n;
const RETRY_MS = 1;
const PATIENCE_MS = 5_000;

interface Waiting {
  readonly xid: bigint;
  readonly opened: PromiseWithResolvers<void>;
  readonly untilMs: number;
}

/**
 * The WAL tells of a commit a moment before other transactions see it. Whoever asks the database about a change waits here
 * until its answer cannot be one from before.
 */
export class CommitGate {
  readonly #pool: pg.Pool;
  #waiting: Waiting[] = [];
  #isBusy = false;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  pass(xid: number): Promise<void> {
    const opened = Promise.withResolvers<void>();
    this.#waiting.push({ xid: BigInt(xid), opened, untilMs: performance.now() + PATIENCE_MS });
    if (!this.#isBusy) void this.#work();
    return opened.promise;
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    while (this.#waiting.length > 0) {
      const asked = this.#waiting.splice(0);
      try {
        const isVisible = readSnapshot(await selectSnapshot(this.#pool));
        for (const waiting of asked) {
          if (isVisible(waiting.xid)) waiting.opened.resolve();
          else if (waiting.untilMs < performance.now())
            waiting.opened.reject(new Error("a commit did not become visible"));
          else this.#waiting.push(waiting);
        }
        if (this.#waiting.length > 0) await sleep(RETRY_MS);
      } catch (error) {
        for (const { opened } of asked) opened.reject(error);
      }
    }
    this.#isBusy = false;
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
