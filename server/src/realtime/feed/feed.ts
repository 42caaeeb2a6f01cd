import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { Observer } from "../../observe/index.ts";
import { explainRefusal } from "./explain-refusal.ts";
import { ReplicationStream } from "./replication-stream.ts";
import type { Relation, Transaction } from "./row-change.ts";
import { selectLagBytes } from "./sql/select-lag.ts";
import { TransactionReader } from "./transaction-reader.ts";

export interface FeedLimits {
  /** Transactions that wait for their turn beyond this make the server wait. */
  readonly maxWaitingBytes: number;
  /** A transaction that holds more of what is subscribed to costs the feed. */
  readonly maxTransactionBytes: number;
  /** A node that is further behind than this starts anew at the present. */
  readonly maxLagBytes: number;
}

export interface FeedOptions {
  readonly url: string;
  /** Asks how far behind the feed is; not the feed's own connection, which can do nothing else. */
  readonly pool: pg.Pool;
  readonly observer: Observer;
  readonly limits: FeedLimits;
  readonly random: () => number;
  isWanted(relation: Relation): boolean;
  onRelation(relation: Relation): void;
  /** Called for one transaction at a time, in the order of their commits. */
  onTransaction(transaction: Transaction): Promise<void> | void;
  /** From here to the next time that it is live, nothing is told. */
  onLost(reason: string): void;
}

export type FeedState = "live" | "connecting" | "unavailable";

const PUBLICATIONS = ["swarmbase", "swarmbase_access"];
const RETRY_DELAYS_MS = [100, 250, 500, 1_000, 2_000, 5_000];
const UNAVAILABLE_RETRY_MS = 10_000;
const LAG_INTERVAL_MS = 5_000;

/**
 * connecting → live (the slot streams) → connecting (the connection, the server or this node failed; everybody was told)
 * connecting → unavailable (the server refuses, and says why) → connecting (asked again)
 */
export class Feed {
  readonly #options: FeedOptions;
  #state: FeedState = "connecting";
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

  get reason(): string | null {
    return this.#reason;
  }

  /** How far behind it was when it was last looked at; null while it is not live. */
  get lagBytes(): number | null {
    return this.#lagBytes;
  }

  /** Aborted when the feed that is live at the time of asking is lost. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Resolves while the feed is live, or as soon as it is or cannot be. */
  whenDecided(): Promise<void> {
    return this.#live.promise;
  }

  async run(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; failures += 1) {
      const wasLive = await this.#follow(signal);
      if (wasLive) failures = 0;
      const stepMs =
        this.#state === "unavailable"
          ? UNAVAILABLE_RETRY_MS
          : (RETRY_DELAYS_MS[failures] ?? RETRY_DELAYS_MS.at(-1) ?? 0);
      await sleep(stepMs / 2 + stepMs * this.#options.random(), undefined, { signal }).catch(() => {});
    }
  }

  /** One connection from its first moment to its last. Answers whether it was ever live. */
  async #follow(signal: AbortSignal): Promise<boolean> {
    const { url, observer } = this.#options;
    const slotName = `swarmbase_${randomBytes(8).toString("hex")}`;
    const line = new TransactionLine(this.#options);
    const reader = new TransactionReader({
      isWanted: this.#options.isWanted,
      onRelation: this.#options.onRelation,
      onTransaction: (transaction) => line.push(transaction),
      maxTransactionBytes: this.#options.limits.maxTransactionBytes,
    });
    const stream = new ReplicationStream({
      url,
      slotName,
      publications: PUBLICATIONS,
      onMessage: (message) => reader.read(message),
    });
    line.attach(stream);
    const stop = (): void => void stream.close();
    signal.addEventListener("abort", stop, { once: true });
    const over = new AbortController();
    let isLive = false;
    try {
      await stream.start();
      isLive = true;
      this.#enterLive();
      observer.note("realtime.live", { slotName });
      const reason = await Promise.race([stream.ended, line.failed, this.#watchLag(slotName, over.signal)]);
      throw reason;
    } catch (error) {
      this.#leaveLive(error, signal.aborted);
      return isLive;
    } finally {
      over.abort();
      line.close();
      signal.removeEventListener("abort", stop);
      await stream.close();
    }
  }

  #enterLive(): void {
    [this.#state, this.#reason, this.#lost] = ["live", null, new AbortController()];
    this.#live.resolve();
  }

  #leaveLive(error: unknown, isStopping: boolean): void {
    const previous = this.#reason;
    const wasLive = this.#state === "live";
    this.#lagBytes = null;
    // What ends a feed that was live is no refusal, whatever it looks like.
    const refusal = wasLive ? null : explainRefusal(error);
    this.#state = refusal === null ? "connecting" : "unavailable";
    this.#reason = refusal ?? "The change feed is being connected";
    if (refusal !== null) this.#live.resolve();
    if (wasLive || refusal !== null) this.#live = Promise.withResolvers<void>();
    if (!isStopping && (wasLive || this.#reason !== previous))
      this.#options.observer.note(refusal === null ? "realtime.feed_lost" : "realtime.unavailable", {
        error,
        reason: this.#reason,
      });
    if (!wasLive) return;
    this.#lost.abort();
    this.#options.onLost("The change feed was interrupted");
  }

  async #watchLag(slotName: string, signal: AbortSignal): Promise<Error> {
    const { pool, limits } = this.#options;
    for (;;) {
      await sleep(LAG_INTERVAL_MS, undefined, { signal });
      const lagBytes = await selectLagBytes(pool, slotName).catch(() => 0);
      this.#lagBytes = lagBytes;
      if (lagBytes > limits.maxLagBytes) return new Error(`the feed is ${lagBytes} bytes behind`);
    }
  }
}

/** Transactions that wait for the one before them. */
class TransactionLine {
  /** Resolves with the fault that ends the feed. */
  readonly failed: Promise<Error>;
  readonly #options: FeedOptions;
  readonly #fail: (error: Error) => void;
  #stream: ReplicationStream | null = null;
  #waiting: Transaction[] = [];
  #waitingBytes = 0;
  #isBusy = false;
  #isClosed = false;

  constructor(options: FeedOptions) {
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<Error>();
    [this.failed, this.#fail] = [promise, resolve];
  }

  attach(stream: ReplicationStream): void {
    this.#stream = stream;
  }

  push(transaction: Transaction): void {
    if (this.#isClosed) return;
    this.#waiting.push(transaction);
    this.#waitingBytes += transaction.bytes;
    if (this.#waitingBytes > this.#options.limits.maxWaitingBytes) this.#stream?.pause();
    if (!this.#isBusy) void this.#work();
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting = [];
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    try {
      for (;;) {
        const transaction = this.#waiting.shift();
        if (transaction === undefined) break;
        const pending = this.#options.onTransaction(transaction);
        if (pending !== undefined) await pending;
        this.#waitingBytes -= transaction.bytes;
        if (this.#waitingBytes <= this.#options.limits.maxWaitingBytes) this.#stream?.resume();
      }
    } catch (error) {
      this.#isClosed = true;
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    } finally {
      this.#isBusy = false;
    }
  }
}
