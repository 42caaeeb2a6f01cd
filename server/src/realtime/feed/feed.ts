import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { Observer } from "../../observe/index.ts";
import { FEED_PUBLICATION } from "./catalogue-watch.ts";
import { explainUnavailable } from "./explain-unavailable.ts";
import { ReplicationStream } from "./replication-stream.ts";
import type { Transaction } from "./row-change.ts";
import { selectLagBytes } from "./sql/feed-statements.ts";
import { TransactionReader, type TransactionReaderOptions } from "./transaction-reader.ts";

export interface FeedLimits extends Pick<TransactionReaderOptions, "maxPartBytes"> {
  /** Above this size of waiting transactions the stream pauses. */
  readonly maxWaitingBytes: number;
  /** A node with a larger lag restarts at the current end of the WAL. */
  readonly maxLagBytes: number;
}

export interface FeedOptions extends FeedLimits, Pick<TransactionReaderOptions, "isWanted" | "onRelation"> {
  readonly url: string;
  /** For lag queries, which the replication connection cannot run. */
  readonly pool: pg.Pool;
  readonly observer: Observer;
  readonly random: () => number;
  /** Called for one transaction, or part of one, at a time in commit order. */
  onTransaction(transaction: Transaction): Promise<void> | void;
  /** Called when a live feed ends. Changes until it is live again are missed. */
  onLost(reason: string): void;
}

export type FeedState = "live" | "connecting" | "unavailable";

const RETRY_DELAYS_MS = [100, 250, 500, 1_000, 2_000, 5_000];
const UNAVAILABLE_RETRY_MS = 10_000;
const LAG_INTERVAL_MS = 5_000;

/**
 * States:
 * connecting → live when the slot streams → connecting when the connection, the server or this node fails, after onLost
 * connecting → unavailable when the server rejects the feed for a reason that an administrator must fix → connecting on retry
 */
export class Feed {
  readonly #options: FeedOptions;
  #state: FeedState = "connecting";
  #liveCount = 0;
  #reason: string | null = "the feed has not been started";
  #live = Promise.withResolvers<void>();
  #lost = new AbortController();
  #lagBytes: number | null = null;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  get state(): FeedState {
    return this.#state;
  }

  /** How often the feed has become live. */
  get liveCount(): number {
    return this.#liveCount;
  }

  get reason(): string | null {
    return this.#reason;
  }

  /** The lag at the last measurement; null while the feed is not live. */
  get lagBytes(): number | null {
    return this.#lagBytes;
  }

  /** Aborts when the current live feed is lost. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Resolves when the feed is live or unavailable. */
  whenDecided(): Promise<void> {
    return this.#live.promise;
  }

  async run(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; failures += 1) {
      const wasLive = await this.#stream(signal);
      if (wasLive) failures = 0;
      const stepMs =
        this.#state === "unavailable"
          ? UNAVAILABLE_RETRY_MS
          : (RETRY_DELAYS_MS[failures] ?? RETRY_DELAYS_MS.at(-1) ?? 0);
      await sleep(stepMs / 2 + stepMs * this.#options.random(), undefined, { signal }).catch(() => {});
    }
  }

  /** Runs one connection until it ends. Returns whether it was live. */
  async #stream(signal: AbortSignal): Promise<boolean> {
    const { url, observer } = this.#options;
    const slotName = `swarmbase_${randomBytes(8).toString("hex")}`;
    const queue = new TransactionQueue(this.#options, () => stream);
    const reader = new TransactionReader({
      ...this.#options,
      onTransaction: (transaction) => queue.push(transaction),
    });
    const stream: ReplicationStream = new ReplicationStream({
      url,
      slotName,
      publication: FEED_PUBLICATION,
      onMessage: (message) => reader.read(message),
    });
    const stop = (): void => void stream.close();
    signal.addEventListener("abort", stop, { once: true });
    const ended = new AbortController();
    try {
      await stream.start();
      this.#enterLive();
      observer.note("realtime.live", { slotName });
      throw await Promise.race([stream.ended, queue.failed.promise, this.#watchLag(slotName, ended.signal)]);
    } catch (error) {
      return this.#leaveLive(error, signal.aborted);
    } finally {
      ended.abort();
      queue.close();
      signal.removeEventListener("abort", stop);
      await stream.close();
    }
  }

  #enterLive(): void {
    [this.#state, this.#reason, this.#lost] = ["live", null, new AbortController()];
    this.#liveCount += 1;
    this.#live.resolve();
  }

  /** Returns whether the feed was live. */
  #leaveLive(error: unknown, isStopping: boolean): boolean {
    const previous = this.#reason;
    const wasLive = this.#state === "live";
    this.#lagBytes = null;
    // The end of a live feed is always transient.
    const explanation = wasLive ? null : explainUnavailable(error);
    this.#state = explanation === null ? "connecting" : "unavailable";
    this.#reason = explanation ?? "The change feed is being connected";
    if (explanation !== null) this.#live.resolve();
    if (wasLive || explanation !== null) this.#live = Promise.withResolvers<void>();
    if (!isStopping && (wasLive || this.#reason !== previous))
      this.#options.observer.note(explanation === null ? "realtime.feed_lost" : "realtime.unavailable", {
        error,
        reason: this.#reason,
      });
    if (wasLive) {
      this.#lost.abort();
      this.#options.onLost("The change feed was interrupted");
    }
    return wasLive;
  }

  async #watchLag(slotName: string, signal: AbortSignal): Promise<Error> {
    const { pool, maxLagBytes } = this.#options;
    for (;;) {
      await sleep(LAG_INTERVAL_MS, undefined, { signal });
      const lagBytes = await selectLagBytes(pool, slotName).catch(() => 0);
      this.#lagBytes = lagBytes;
      if (lagBytes > maxLagBytes) return new Error(`the feed is ${lagBytes} bytes behind`);
    }
  }
}

/** Processes transactions one after the other. */
class TransactionQueue {
  /** Resolves with the error that ends the feed. */
  readonly failed = Promise.withResolvers<Error>();
  readonly #options: FeedOptions;
  readonly #streamOf: () => ReplicationStream;
  #waiting: Transaction[] = [];
  #waitingBytes = 0;
  #isBusy = false;
  #isClosed = false;

  constructor(options: FeedOptions, streamOf: () => ReplicationStream) {
    this.#options = options;
    this.#streamOf = streamOf;
  }

  push(transaction: Transaction): void {
    if (this.#isClosed) return;
    this.#waiting.push(transaction);
    this.#waitingBytes += transaction.bytes;
    if (this.#waitingBytes > this.#options.maxWaitingBytes) this.#streamOf().pause();
    if (!this.#isBusy) void this.#work();
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting = [];
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    try {
      for (let transaction = this.#waiting.shift(); transaction !== undefined; transaction = this.#waiting.shift()) {
        const pending = this.#options.onTransaction(transaction);
        if (pending !== undefined) await pending;
        this.#waitingBytes -= transaction.bytes;
        if (this.#waitingBytes <= this.#options.maxWaitingBytes) this.#streamOf().resume();
      }
    } catch (error) {
      this.#isClosed = true;
      this.failed.resolve(error instanceof Error ? error : new Error(String(error)));
    } finally {
      this.#isBusy = false;
    }
  }
}
