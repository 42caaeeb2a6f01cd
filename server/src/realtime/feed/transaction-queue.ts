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

/** Assembles transactions, and processes them one after the other. */
export class TransactionQueue implements FeedReader {
  readonly failed: Promise<Error>;
  readonly #fail: (error: Error) => void;
  readonly #options: TransactionQueueOptions;
  readonly #streamOf: () => Pick<FeedStream, "pause" | "resume">;
  readonly #reader: TransactionReader;
  #waiting: Transaction[] = [];
  #waitingBytes = 0;
  #isBusy = false;
  #isClosed = false;

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
    this.#isClosed = true;
    this.#waiting = [];
  }

  #push(transaction: Transaction): void {
    if (this.#isClosed) return;
    this.#waiting.push(transaction);
    this.#waitingBytes += transaction.bytes;
    if (this.#waitingBytes > this.#options.maxWaitingBytes) this.#streamOf().pause();
    if (!this.#isBusy) void this.#work();
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
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    } finally {
      this.#isBusy = false;
    }
  }
}
