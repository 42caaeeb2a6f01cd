import type pg from "pg";
import { perObject } from "../per-object.ts";
import { acquireClient } from "./acquire-client.ts";
import type { PipelinedTransaction, TransactionOutcome } from "./pipelined-transaction.ts";
import { pipelineOf } from "./connection-pipeline.ts";
import type { TransactionRequest } from "./transaction-request.ts";
import { StatementPace } from "./statement-pace.ts";

/** More reads would save little, and the last one would wait for all the others. */
const MAX_READS = 4;
/** Many times what quick statements take together. */
const DETACH_AFTER_MS = 50;

export const multiplexerOf = perObject((pool: pg.Pool) => new ReadMultiplexer(pool));

interface PendingRead {
  readonly request: TransactionRequest;
  transaction: PipelinedTransaction | null;
  isAborted: boolean;
  /** With null, the read has to run alone. */
  settle(outcome: Promise<TransactionOutcome> | null): void;
  fail(error: unknown): void;
}

/**
 * Sends reads that are ready in the same turn of the event loop in one write: a write that wakes a sleeping server process
 * costs both sides about as much as the rest of a small read.
 */
class ReadMultiplexer {
  readonly #pool: pg.Pool;
  readonly pace = new StatementPace();
  #queued: PendingRead[] = [];
  #isSendScheduled = false;
  #firstQueuedMs = 0;
  #loopTurnMs = 0;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  accepts(request: TransactionRequest): boolean {
    return request.canShare && this.pace.isQuick(request);
  }

  /** Resolves with null when the read has to run alone. An abort rejects at once; what was sent still runs. */
  async run(request: TransactionRequest, signal: AbortSignal | undefined): Promise<TransactionOutcome | null> {
    const { promise, resolve: settle, reject: fail } = Promise.withResolvers<TransactionOutcome | null>();
    const read: PendingRead = { request, transaction: null, isAborted: false, settle, fail };
    const onAbort = (): void => {
      read.isAborted = true;
      read.transaction?.detach();
      fail(signal?.reason);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#enqueue(read);
    try {
      return await promise;
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Subtracts the time in which this process was busy with other work from the duration of a statement. */
  recordDuration(request: TransactionRequest, durationMs: number, hasCommitted: boolean): void {
    if (request.canShare) this.pace.record(request, Math.max(0, durationMs - 2 * this.#loopTurnMs), hasCommitted);
  }

  #enqueue(read: PendingRead): void {
    if (this.#queued.push(read) === MAX_READS) return this.#send();
    if (this.#isSendScheduled) return;
    this.#isSendScheduled = true;
    this.#firstQueuedMs = performance.now();
    // By then all sockets that were readable in this turn have been read.
    setImmediate(() => {
      this.#isSendScheduled = false;
      this.#loopTurnMs = Math.max(performance.now() - this.#firstQueuedMs, this.#loopTurnMs * 0.9);
      this.#send();
    });
  }

  #send(): void {
    const reads = this.#queued.filter(({ isAborted }) => !isAborted);
    this.#queued = [];
    if (reads.length > 1) void this.#runTogether(reads);
    else for (const { settle } of reads) settle(null);
  }

  async #runTogether(reads: readonly PendingRead[]): Promise<void> {
    let client: pg.PoolClient;
    try {
      client = await acquireClient(this.#pool, undefined);
    } catch (error) {
      for (const { fail } of reads) fail(error);
      return;
    }
    const pipeline = pipelineOf(client);
    const taken: PendingRead[] = [];
    for (const read of reads) {
      if (!pipeline.hasPrepared(read.request)) read.settle(null);
      else if (!read.isAborted) taken.push(read);
    }
    if (taken.length === 0) return client.release();
    const { transactions, isReusable } = pipeline.runTogether(taken.map(({ request }) => request));
    for (const [index, read] of taken.entries()) {
      read.transaction = transactions[index] ?? null;
      read.settle(read.transaction?.outcome ?? null);
    }
    const detaching = setTimeout(() => setImmediate(() => detachWaiting(transactions)), DETACH_AFTER_MS);
    client.release(!(await isReusable));
    clearTimeout(detaching);
    for (const { request, durationMs, hasCommitted } of transactions)
      this.recordDuration(request, durationMs, hasCommitted);
  }
}

/** Releases reads behind one that is slow this time, perhaps because of a lock: as reads they can run again elsewhere. */
function detachWaiting(transactions: readonly PipelinedTransaction[]): void {
  for (const transaction of transactions) if (!transaction.hasBegun) transaction.detach();
}
