import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { type Commits, nextTick, UNWATCHED } from "../../jobs/index.ts";
import type { Observer } from "../../observe/index.ts";
import { explainUnavailable } from "./explain-unavailable.ts";
import type { FeedStream, OpenFeedStream } from "./feed-stream.ts";
import { selectLagBytes } from "./sql/feed-statements.ts";

export interface FeedOptions {
  readonly openStream: OpenFeedStream;
  /** For lag queries, which the replication connection cannot run. */
  readonly pool: pg.Pool;
  readonly commits?: Commits;
  readonly observer: Observer;
  readonly random: () => number;
  /** A node with a larger lag restarts at the current end of the WAL. */
  readonly maxLagBytes: number;
  /** Makes what reads the messages of one stream. */
  createReader(streamOf: () => Pick<FeedStream, "pause" | "resume">): FeedReader;
  /** Called when a live feed ends. Changes until it is live again are missed. */
  onLost(reason: string): void;
}

export interface FeedReader {
  /** An error ends the stream. */
  read(message: Buffer): void;
  /** Resolves with an error that ends the feed. */
  readonly failed: Promise<Error>;
  close(): void;
}

type FeedState = "live" | "connecting" | "unavailable";

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
  #stream: FeedStream | null = null;

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

  /** As of the stream. Without one, there is nothing to follow. */
  async follow(tables: readonly string[]): Promise<readonly number[]> {
    return (await this.#stream?.follow(tables)) ?? [];
  }

  /** Resolves when the feed is live or unavailable. */
  whenDecided(): Promise<void> {
    return this.#live.promise;
  }

  async run(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; failures += 1) {
      const wasLive = await this.#runOnce(signal);
      if (wasLive) failures = 0;
      const stepMs =
        this.#state === "unavailable"
          ? UNAVAILABLE_RETRY_MS
          : (RETRY_DELAYS_MS[failures] ?? RETRY_DELAYS_MS.at(-1) ?? 0);
      await sleep(stepMs / 2 + stepMs * this.#options.random(), undefined, { signal }).catch(() => {});
    }
  }

  /** Runs one connection until it ends. Returns whether it was live. */
  async #runOnce(signal: AbortSignal): Promise<boolean> {
    const { openStream, createReader, observer } = this.#options;
    const reader = createReader(() => stream);
    const stream: FeedStream = openStream((message) => reader.read(message));
    const { slotName } = stream;
    const stop = (): void => void stream.close();
    signal.addEventListener("abort", stop, { once: true });
    const ended = new AbortController();
    try {
      await stream.start();
      this.#stream = stream;
      this.#enterLive();
      observer.note("realtime.live", { slotName });
      throw await Promise.race([stream.ended, reader.failed, this.#watchLag(slotName, ended.signal)]);
    } catch (error) {
      return this.#leaveLive(error, signal.aborted);
    } finally {
      this.#stream = null;
      ended.abort();
      reader.close();
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

  /** Another process watches the lag of a stream without a slot. */
  async #watchLag(slotName: string | null, signal: AbortSignal): Promise<Error> {
    const { pool, commits = UNWATCHED, maxLagBytes } = this.#options;
    if (slotName === null) return new Promise(() => {});
    for (;;) {
      const { version } = commits;
      await nextTick(LAG_INTERVAL_MS, signal);
      await commits.after(version, signal);
      signal.throwIfAborted();
      const lagBytes = await selectLagBytes(pool, slotName).catch(() => 0);
      this.#lagBytes = lagBytes;
      if (lagBytes > maxLagBytes) return new Error(`the feed is ${lagBytes} bytes behind`);
    }
  }
}
