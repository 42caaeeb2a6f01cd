import type { FeedReader } from "./feed.ts";
import type { FeedStream } from "./feed-stream.ts";
import type { Transaction } from "./row-change.ts";
import { TransactionReader, type TransactionReaderOptions } from "./transaction-reader.ts";

export interface TransactionQueueOptions
  extends Pick<TransactionReaderOptions, "maxPartBytes" | "isWanted" | "onRelation"> {
  /** Above this size of waiting transactions the stream pauses. */
  readonly maxWaitingBytes: number;
  /** Called for one transaction, or part of one, at a time in commit order. */
  onTransaction(transaction: Transaction): Promise<void> | void;
}

/**
 * Assembles transactions, and processes them one after the other.
 *
 * idle: nothing waits. working: one transaction is processed, others may wait. closed: by `close`, or when one has failed, which ends
 * the feed; the rest is dropped, and the one in progress ends by itself.
 *
 * The stream pauses while more than a limit of bytes waits, the transaction in progress included.
 */
export class TransactionQueue implements FeedReader {
  readonly failed: Promise<Error>;
  readonly #fail: (error: Error) => void;
  readonly #options: TransactionQueueOptions;
  readonly #streamOf: () => Pick<FeedStream, "pause" | "resume">;
  readonly #reader: TransactionReader;
  #waiting: Transaction[] = [];
  #waitingBytes = 0;
  #phase: "idle" | "working" | "closed" = "idle";

  constructor(options: TransactionQueueOptions, streamOf: () => Pick<FeedStream, "pause" | "resume">) {
    this.#options = options;
    this.#streamOf = streamOf;
    const { promise, resolve } = Promise.withResolvers<Error>();
    [this.failed, this.#fail] = [promise, resolve];
    this.#reader = new TransactionReader({ ...options, onTransaction: (transaction) => this.#push(transaction) });
  }

  read(message: Buffer): void {
    this.#reader.read(message);
  }

  close(): void {
    this.#phase = "closed";
    this.#waiting = [];
  }

  #push(transaction: Transaction): void {
    if (this.#phase === "closed") return;
    this.#waiting.push(transaction);
    this.#waitingBytes += transaction.bytes;
    if (this.#waitingBytes > this.#options.maxWaitingBytes) this.#streamOf().pause();
    if (this.#phase === "idle") void this.#work();
  }

  async #work(): Promise<void> {
    this.#phase = "working";
    try {
      for (let transaction = this.#waiting.shift(); transaction !== undefined; transaction = this.#waiting.shift()) {
        const pending = this.#options.onTransaction(transaction);
        if (pending !== undefined) await pending;
        this.#waitingBytes -= transaction.bytes;
        if (this.#waitingBytes <= this.#options.maxWaitingBytes) this.#streamOf().resume();
      }
      if (this.#phase === "working") this.#phase = "idle";
    } catch (error) {
      this.close();
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
