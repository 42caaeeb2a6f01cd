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

interface LiveState {
  readonly kind: "live";
  readonly stream: FeedStream;
  /** Aborts when the state ends. */
  readonly lost: AbortController;
  /** At the last measurement. */
  lagBytes: number | null;
}

type FeedState = LiveState | { readonly kind: "connecting" | "unavailable"; readonly reason: string };

const RETRY_DELAYS_MS = [100, 250, 500, 1_000, 2_000, 5_000];
const UNAVAILABLE_RETRY_MS = 10_000;
const LAG_INTERVAL_MS = 5_000;

/**
 * The stream of changes of this process, which is opened again whenever it ends.
 *
 * connecting: at first, and after a stream has ended for a reason that may pass. The next is being opened, or waits for its turn.
 * live: `start` of a stream has resolved. Every commit from then on arrives, once and in commit order, until the state ends because
 *   the connection, the server, the reader or this process fails. It ends in `connecting`.
 * unavailable: a stream could not start for a reason that an administrator must fix. It is tried again without leaving the state,
 *   which ends in `live`, or in `connecting` when the reason is another.
 *
 * There is at most one stream at a time. Only a live feed follows tables, has a lag, or can be lost; `onLost` is called once for each
 * time that it was live, after the state has ended. Changes between two live states are missed: subscribers begin again. A crash
 * leaves nothing, because the slot of a stream is dropped with its connection.
 */
export class Feed {
  readonly #options: FeedOptions;
  #state: FeedState = { kind: "connecting", reason: "the feed has not been started" };
  #liveCount = 0;
  /** Resolves when the feed becomes live or is found to be unavailable. */
  #decided = Promise.withResolvers<void>();

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  get state(): FeedState["kind"] {
    return this.#state.kind;
  }

  /** How often the feed has become live. */
  get liveCount(): number {
    return this.#liveCount;
  }

  /** Why the feed is not live; null while it is. */
  get reason(): string | null {
    return this.#state.kind === "live" ? null : this.#state.reason;
  }

  /** The lag at the last measurement; null while the feed is not live. */
  get lagBytes(): number | null {
    return this.#state.kind === "live" ? this.#state.lagBytes : null;
  }

  /** Aborts when the current live feed is lost; null while the feed is not live. */
  get lost(): AbortSignal | null {
    return this.#state.kind === "live" ? this.#state.lost.signal : null;
  }

  /** As of the stream. Without one, there is nothing to follow. */
  async follow(tables: readonly string[]): Promise<readonly number[]> {
    return this.#state.kind === "live" ? this.#state.stream.follow(tables) : [];
  }

  /** Resolves when the feed is live or unavailable. */
  whenDecided(): Promise<void> {
    return this.#decided.promise;
  }

  async run(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; failures += 1) {
      const wasLive = await this.#runOnce(signal);
      if (wasLive) failures = 0;
      const stepMs =
        this.#state.kind === "unavailable"
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
      const live = this.#enterLive(stream);
      observer.note("realtime.live", { slotName });
      throw await Promise.race([stream.ended, reader.failed, this.#watchLag(live, ended.signal)]);
    } catch (error) {
      return this.#leaveLive(error, signal.aborted);
    } finally {
      ended.abort();
      reader.close();
      signal.removeEventListener("abort", stop);
      await stream.close();
    }
  }

  #enterLive(stream: FeedStream): LiveState {
    if (this.#state.kind === "live") throw new Error("the feed has two streams");
    const live: LiveState = { kind: "live", stream, lost: new AbortController(), lagBytes: null };
    this.#state = live;
    this.#liveCount += 1;
    this.#decided.resolve();
    return live;
  }

  /** Returns whether the feed was live. */
  #leaveLive(error: unknown, isStopping: boolean): boolean {
    const previous = this.#state;
    const wasLive = previous.kind === "live";
    // The end of a live feed is always transient.
    const explanation = wasLive ? null : explainUnavailable(error);
    const reason = explanation ?? "The change feed is being connected";
    this.#state = { kind: explanation === null ? "connecting" : "unavailable", reason };
    if (explanation !== null) this.#decided.resolve();
    if (wasLive || explanation !== null) this.#decided = Promise.withResolvers<void>();
    if (!isStopping && (wasLive || reason !== previous.reason))
      this.#options.observer.note(explanation === null ? "realtime.feed_lost" : "realtime.unavailable", {
        error,
        reason,
      });
    if (wasLive) {
      previous.lost.abort();
      this.#options.onLost("The change feed was interrupted");
    }
    return wasLive;
  }

  /** Another process watches the lag of a stream without a slot. */
  async #watchLag(live: LiveState, signal: AbortSignal): Promise<Error> {
    const { slotName } = live.stream;
    const { pool, commits = UNWATCHED, maxLagBytes } = this.#options;
    if (slotName === null) return new Promise(() => {});
    for (;;) {
      const { version } = commits;
      await nextTick(LAG_INTERVAL_MS, signal);
      await commits.after(version, signal);
      signal.throwIfAborted();
      const lagBytes = await selectLagBytes(pool, slotName).catch(() => 0);
      live.lagBytes = lagBytes;
      if (lagBytes > maxLagBytes) return new Error(`the feed is ${lagBytes} bytes behind`);
    }
  }
}
