import type pg from "pg";
import type { WakeUp, Worker } from "../../jobs/index.ts";
import { runSteps, type StepsOptions } from "../run-steps.ts";
import { selectFeedPositions } from "../sql/feeds.ts";

interface FeedWaitsOptions extends Omit<StepsOptions, "name" | "signal"> {
  readonly pool: pg.Pool;
  readonly wakeUp: WakeUp;
}

interface Wait {
  readonly feedId: string;
  readonly after: number;
  end(): void;
}

/** The readers of this node that wait for events of feeds. One statement asks for all of them. */
export class FeedWaits {
  readonly #options: FeedWaitsOptions;
  readonly #waits = new Set<Wait>();
  #isClosed = false;
  readonly worker: Worker;

  constructor(options: FeedWaitsOptions) {
    this.#options = options;
    this.worker = { name: "event-feeds", run: (signal) => this.#run(signal) };
  }

  /** Resolves when the feed has events after the position, after the timeout, when the signal aborts or the node stops. */
  async wait(feedId: string, after: number, timeoutMs: number, signal: AbortSignal): Promise<void> {
    if (this.#isClosed || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", end);
        this.#waits.delete(wait);
        resolve();
      };
      const timer = setTimeout(end, timeoutMs);
      const wait: Wait = { feedId, after, end };
      signal.addEventListener("abort", end, { once: true });
      this.#waits.add(wait);
      // An event may have come since the reader has looked.
      this.#options.wakeUp.trigger();
    });
  }

  /** Ends all waits, before the server waits for its connections. Their readers continue on another node. */
  close(): void {
    this.#isClosed = true;
    for (const wait of this.#waits) wait.end();
  }

  async #run(signal: AbortSignal): Promise<void> {
    await runSteps(() => this.#step(), { ...this.#options, name: this.worker.name, signal });
    this.close();
  }

  async #step(): Promise<number> {
    const { pool } = this.#options;
    const waits = [...this.#waits];
    if (waits.length > 0) {
      const positions = await selectFeedPositions(pool, [...new Set(waits.map(({ feedId }) => feedId))]);
      // Readers of a feed that was deleted read again, and are told.
      for (const wait of waits) if ((positions.get(wait.feedId) ?? Infinity) > wait.after) wait.end();
    }
    return Number.POSITIVE_INFINITY;
  }
}
