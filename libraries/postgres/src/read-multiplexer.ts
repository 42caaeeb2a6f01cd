import type pg from "pg";
import { perObject } from "./per-object.ts";
import type { ConnectionRequest, FairPool } from "./fair-pool.ts";
import { translateAcquisition } from "./acquire-client.ts";
import type { PipelinedTransaction, TransactionOutcome } from "./pipelined-transaction.ts";
import { connectionPipelineOf } from "./connection-pipeline.ts";
import type { TransactionRequest } from "./transaction-request.ts";
import { StatementPace } from "./statement-pace.ts";

/** More reads would save little, and the last one would wait for all the others. */
const MAX_READS = 4;
/** Many times what quick statements take together. */
const DETACH_AFTER_MS = 50;

export const readMultiplexerOf = perObject((pool: FairPool) => new ReadMultiplexer(pool));

/** The read has to run alone, with a permit for a connection where it has one already. */
interface SoloRun {
  readonly kind: "alone";
  readonly isGranted: boolean;
}

class PendingRead implements ConnectionRequest {
  readonly key: string;
  readonly request: TransactionRequest;
  readonly result: Promise<TransactionOutcome | SoloRun>;
  readonly settle: (result: Promise<TransactionOutcome> | SoloRun) => void;
  readonly #pool: FairPool;
  readonly #reject: (error: unknown) => void;
  readonly #onStart: (read: PendingRead) => void;
  timer: NodeJS.Timeout | undefined;
  transaction: PipelinedTransaction | null = null;
  /** The reads that share its connection, itself included; null when it does not hold the connection. */
  group: readonly PendingRead[] | null = null;
  isAborted = false;

  constructor(request: TransactionRequest, pool: FairPool, onStart: (read: PendingRead) => void) {
    const { promise, resolve, reject } = Promise.withResolvers<TransactionOutcome | SoloRun>();
    this.key = request.key;
    this.request = request;
    this.result = promise;
    this.settle = resolve;
    this.#pool = pool;
    this.#reject = reject;
    this.#onStart = onStart;
  }

  start(): void {
    this.#onStart(this);
  }

  fail(error: unknown): void {
    this.#reject(translateAcquisition(this.#pool, error));
  }
}

const isRead = (request: ConnectionRequest): request is PendingRead => request instanceof PendingRead;

/**
 * Sends reads that are ready in the same turn of the event loop in one write: a write that wakes a sleeping server process
 * costs both sides about as much as the rest of a small read. Reads that wait for a connection are grouped when it is free, by
 * the fair queue of the pool.
 */
class ReadMultiplexer {
  readonly #pool: FairPool;
  readonly #onStart = (first: PendingRead): void => this.#start(first);
  readonly pace = new StatementPace();
  #arrived: PendingRead[] = [];
  #isSendScheduled = false;
  #firstArrivedMs = 0;
  #loopTurnMs = 0;

  constructor(pool: FairPool) {
    this.#pool = pool;
  }

  accepts(request: TransactionRequest): boolean {
    return request.canShare && this.pace.isQuick(request);
  }

  /** An abort rejects at once; what was sent still runs. */
  async run(request: TransactionRequest, signal: AbortSignal | undefined): Promise<TransactionOutcome | SoloRun> {
    const read = new PendingRead(request, this.#pool, this.#onStart);
    const onAbort = (): void => {
      read.isAborted = true;
      this.#pool.withdraw(read);
      read.transaction?.detach();
      read.fail(signal?.reason);
    };
    signal?.addEventListener("abort", onAbort);
    this.#add(read);
    try {
      return await read.result;
    } finally {
      signal?.removeEventListener("abort", onAbort);
      this.#leaveGroup(read);
    }
  }

  /** Subtracts the time in which this process was busy with other work from the duration of a statement. */
  recordDuration(request: TransactionRequest, durationMs: number, hasCommitted: boolean): void {
    if (request.canShare) this.pace.record(request, Math.max(0, durationMs - 2 * this.#loopTurnMs), hasCommitted);
  }

  #add(read: PendingRead): void {
    if (this.#arrived.push(read) === MAX_READS) return this.#send();
    if (this.#isSendScheduled) return;
    this.#isSendScheduled = true;
    this.#firstArrivedMs = performance.now();
    // By then all sockets that were readable in this turn have been read.
    setImmediate(() => {
      this.#isSendScheduled = false;
      this.#loopTurnMs = Math.max(performance.now() - this.#firstArrivedMs, this.#loopTurnMs * 0.9);
      this.#send();
    });
  }

  #send(): void {
    const reads = this.#arrived;
    this.#arrived = [];
    this.#pool.enqueue(reads.filter(({ isAborted }) => !isAborted));
  }

  #start(first: PendingRead): void {
    const others = this.#pool.join(first, MAX_READS - 1, isRead);
    if (others.length === 0) return first.settle({ kind: "alone", isGranted: true });
    const group = [first, ...others];
    for (const read of group) read.group = group;
    this.#pool.open(null, (error, client) => {
      if (client !== undefined) void this.#runTogether(client, group);
      else for (const read of group) read.fail(error);
    });
  }

  async #runTogether(client: pg.PoolClient, reads: readonly PendingRead[]): Promise<void> {
    const pipeline = connectionPipelineOf(client);
    const taken: PendingRead[] = [];
    for (const read of reads) {
      if (!pipeline.hasPrepared(read.request)) read.settle({ kind: "alone", isGranted: false });
      else if (!read.isAborted) taken.push(read);
    }
    if (taken.length === 0) return client.release();
    const { transactions, isReusable } = pipeline.runTogether(taken.map(({ request }) => request));
    for (const [index, read] of taken.entries()) {
      const transaction = transactions[index];
      if (transaction === undefined) throw new Error("a read has no transaction");
      read.transaction = transaction;
      read.settle(transaction.outcome);
    }
    const detaching = setTimeout(() => setImmediate(() => detachWaiting(transactions)), DETACH_AFTER_MS);
    const isConnectionReusable = await isReusable;
    clearTimeout(detaching);
    // Before the release, which may start further reads of these users.
    for (const read of taken) this.#leaveGroup(read);
    client.release(!isConnectionReusable);
    for (const { request, durationMs, hasCommitted } of transactions)
      this.recordDuration(request, durationMs, hasCommitted);
  }

  /** A user whose reads in the group have ended, or were detached, does not hold its connection any more. */
  #leaveGroup(read: PendingRead): void {
    const { group, key } = read;
    read.group = null;
    if (group === null || group.some((other) => other.key === key && other.group === group)) return;
    this.#pool.leave({ key });
  }
}

/** Releases reads behind one that is slow this time, perhaps because of a lock: as reads they can run again elsewhere. */
function detachWaiting(transactions: readonly PipelinedTransaction[]): void {
  for (const transaction of transactions) if (!transaction.hasBegun) transaction.detach();
}
