import pg from "pg";
import type { FairPool } from "./fair-pool.ts";
import { isUnavailable, READ_ONLY_STATE } from "./is-unavailable.ts";
import { PoolError } from "./pool-error.ts";
import { acquireClient } from "./acquire-client.ts";
import { failedStatementOf, type TransactionOutcome } from "./pipelined-transaction.ts";
import { readMultiplexerOf } from "./read-multiplexer.ts";
import { connectionPipelineOf } from "./connection-pipeline.ts";
import {
  buildTransactionRequest,
  type TransactionOptions,
  type TransactionRequest,
  type StatementResult,
} from "./transaction-request.ts";

/** The server's error for `set transaction_read_only = off` on a read-only database or a standby. */
const STAYS_READ_ONLY = "25001";
const QUERY_CANCELED = "57014";

interface EndedTransaction {
  /** As `performance.now()` gives it. */
  readonly startedMs: number;
  readonly statements: TransactionOptions["statements"];
  /** Undefined means that it was committed. */
  readonly error: unknown;
}

type TransactionWatcher = (transaction: EndedTransaction) => void;

const watchers = new WeakMap<FairPool, TransactionWatcher>();

/** Reports each transaction of this pool when it has ended. */
export function watchTransactions(pool: FairPool, watcher: TransactionWatcher): void {
  watchers.set(pool, watcher);
}

/**
 * Runs the statements in order: one transaction, one round trip, one result per statement. An error in any of them rolls all back.
 * Rejects with the server's own errors, or with what `translateError` of the pool makes of a PoolError or of a connection that broke.
 */
export async function runTransaction(pool: FairPool, options: TransactionOptions): Promise<readonly StatementResult[]> {
  const watcher = watchers.get(pool);
  if (watcher === undefined) return run(pool, options);
  const startedMs = performance.now();
  let fault: unknown;
  try {
    return await run(pool, options);
  } catch (error) {
    fault = error;
    throw error;
  } finally {
    watcher({ startedMs, statements: options.statements, error: fault });
  }
}

async function run(pool: FairPool, options: TransactionOptions): Promise<readonly StatementResult[]> {
  const { signal } = options;
  signal?.throwIfAborted();
  const request = buildTransactionRequest(options);
  const isQuick = readMultiplexerOf(pool).accepts(request);
  const refusal = isQuick || !request.isReadOnly ? null : options.admitSlow?.();
  if (refusal instanceof Error) throw refusal;
  let outcome = await (isQuick ? runShared : runAlone)(pool, request, signal);
  if (outcome.kind === "lost" && canRunAgain(outcome, request)) {
    signal?.throwIfAborted();
    outcome = await runAlone(pool, request, signal);
  }
  if (outcome.kind === "committed") return outcome.results;
  signal?.throwIfAborted();
  if (outcome.kind === "lost" && !outcome.isUnsent && !request.isReadOnly && isUnavailable(outcome.error))
    throw pool.translateError(new PoolError("in_doubt", "The server did not confirm the commit.", outcome.error));
  if (request.timeLimitMs !== null) nameTimeLimit(outcome.error);
  throw explain(pool, outcome.error);
}

/** The time limit cancels the statements as a client would; nobody else cancels statements here. */
function nameTimeLimit(error: Error): void {
  if (error instanceof pg.DatabaseError && error.code === QUERY_CANCELED)
    error.message = "canceling statement due to statement timeout";
}

/**
 * A read-only server rejects the enter statement of a write, which cannot make its transaction read-write. When a later
 * statement is rejected, the transaction was entered as read-only, or foreign SQL made it so.
 */
function explain(pool: FairPool, error: Error): unknown {
  if (isWriteRejected(error))
    return pool.translateError(new PoolError("read_only", "The server accepts no writes.", error));
  const isOfStatement = error instanceof pg.DatabaseError && error.code === READ_ONLY_STATE;
  return isOfStatement ? error : pool.translateError(error);
}

function isWriteRejected(error: Error): boolean {
  return error instanceof pg.DatabaseError && error.code === STAYS_READ_ONLY && failedStatementOf(error) === null;
}

/** Runs the read alone when there is none to share with, or when a statement is not prepared on the connection. */
async function runShared(
  pool: FairPool,
  request: TransactionRequest,
  signal: AbortSignal | undefined,
): Promise<TransactionOutcome> {
  const outcome = await readMultiplexerOf(pool).run(request, signal);
  if (outcome.kind === "alone") return runAlone(pool, request, signal, outcome.isGranted);
  if (outcome.kind === "rejected" && outcome.isRepeatable) return runAlone(pool, request, signal);
  return outcome;
}

async function runAlone(
  pool: FairPool,
  request: TransactionRequest,
  signal: AbortSignal | undefined,
  isGranted = false,
): Promise<TransactionOutcome> {
  const isLong = !isGranted && request.isReadOnly && !readMultiplexerOf(pool).accepts(request);
  const client = await acquireClient(pool, { key: request.key, isLong, signal, isGranted });
  let isReusable = false;
  try {
    const startedMs = performance.now();
    const outcome = await connectionPipelineOf(client).run(request, signal);
    readMultiplexerOf(pool).recordDuration(request, performance.now() - startedMs, outcome.kind === "committed");
    const isDemoted = outcome.kind === "rejected" && isWriteRejected(outcome.error);
    if (isDemoted) pool.onReadOnly(client);
    isReusable = outcome.kind !== "lost" && outcome.isReusable && !isDemoted;
    return outcome;
  } finally {
    client.release(!isReusable);
  }
}

/** A write that was sent may have been committed. A response that has begun stands. */
function canRunAgain(lost: TransactionOutcome & { kind: "lost" }, request: TransactionRequest): boolean {
  return lost.isUnsent || (lost.isUnanswered && request.isReadOnly && !request.shouldReset);
}
