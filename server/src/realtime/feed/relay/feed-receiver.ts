import type { AttachedFeed, FeedPeer } from "./feed-peer.ts";
import { FeedFilter, type FilteredMessage } from "./feed-filter.ts";
import { joinMessages } from "./messages.ts";

export interface FeedReceiverOptions extends FeedPeer {
  readonly limits?: Partial<typeof LIMITS>;
  /** No further messages are sent. */
  onEnd(): void;
  /** The peer has taken messages. */
  onProgress(): void;
}

const LIMITS = {
  /** What may be on its way. The rest waits here, so that other messages to the process are not behind it. */
  windowBytes: 1024 * 1024,
  /** Above this size the stream pauses. */
  maxWaitingBytes: 16 * 1024 * 1024,
  /** A process that takes nothing for this long while its queue is full is cut. */
  stallMs: 10_000,
};

/** The queue of one process. */
export class FeedReceiver implements AttachedFeed {
  readonly #options: FeedReceiverOptions;
  readonly #limits: typeof LIMITS;
  readonly #filter = new FeedFilter((message) => this.#push(message));
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #sentBytes = 0;
  #progressAtMs = performance.now();
  #isScheduled = false;
  #isEnded = false;

  constructor(options: FeedReceiverOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
  }

  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  get isFull(): boolean {
    return this.#waitingBytes > this.#limits.maxWaitingBytes;
  }

  isStalled(nowMs: number): boolean {
    return this.isFull && nowMs - this.#progressAtMs > this.#limits.stallMs;
  }

  offer(filtered: FilteredMessage): void {
    this.#filter.take(filtered);
  }

  follow(tables: readonly string[]): readonly number[] {
    return this.#filter.follow(tables);
  }

  #push(message: Buffer): void {
    if (this.#isEnded) return;
    if (this.#waitingBytes === 0 && this.#sentBytes === 0) this.#progressAtMs = performance.now();
    this.#waiting.push(message);
    this.#waitingBytes += message.length;
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // What the driver has read at once is sent at once.
    setImmediate(() => this.#flush());
  }

  take(bytes: number): void {
    this.#sentBytes -= bytes;
    this.#progressAtMs = performance.now();
    this.#flush();
    if (!this.#isEnded) this.#options.onProgress();
  }

  lose(reason: string): void {
    if (this.#isEnded) return;
    this.close();
    this.#options.lose(reason);
  }

  close(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    [this.#waiting, this.#waitingBytes] = [[], 0];
    this.#options.onEnd();
  }

  #flush(): void {
    this.#isScheduled = false;
    while (this.#waiting.length > 0 && this.#sentBytes < this.#limits.windowBytes) {
      let [count, bytes] = [0, 0];
      for (const { length } of this.#waiting) {
        if (count > 0 && this.#sentBytes + bytes + length > this.#limits.windowBytes) break;
        count += 1;
        bytes += length;
      }
      const content = joinMessages(this.#waiting.splice(0, count));
      this.#waitingBytes -= bytes;
      this.#sentBytes += content.length;
      this.#options.send(content);
    }
  }
}
