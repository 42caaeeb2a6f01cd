import pg from "pg";
import { READ_ONLY_STATE, readOnlyError, translateUnavailable } from "../unavailable.ts";
import { acquireClient } from "./acquire-client.ts";
import { failedStatementOf, type TransactionOutcome } from "./pipelined-transaction.ts";
import { multiplexerOf } from "./read-multiplexer.ts";
import { pipelineOf } from "./connection-pipeline.ts";
import { timerOf } from "./transaction-times.ts";
import {
  buildTransactionRequest,
  type TransactionOptions,
  type TransactionRequest,
  type StatementResult,
} from "./transaction-request.ts";

/** Of `set transaction_read_only = off` where the default is on, or where the server is a standby. */
const STAYS_READ_ONLY = "25001";

/**
 * Enters as the caller and runs the statements in order: one transaction, one round trip, one result per statement. An error
 * in any takes back all. Errors of the server come as they are; a database that is away, as what clients are told.
 */
export async function runPipelined(pool: pg.Pool, options: TransactionOptions): Promise<readonly StatementResult[]> {
  const timer = timerOf(pool);
  if (timer === undefined) return fly(pool, options);
  const startedMs = performance.now();
  try {
    return await fly(pool, options);
  } finally {
    timer(performance.now() - startedMs);
  }
}

async function fly(pool: pg.Pool, options: TransactionOptions): Promise<readonly StatementResult[]> {
  const { signal } = options;
  signal?.throwIfAborted();
  const order = buildTransactionRequest(options);
  let outcome = await (multiplexerOf(pool).takes(order) ? flyShared : flyAlone)(pool, order, signal);
  if (outcome.kind === "lost" && canFlyAgain(outcome, order)) {
    signal?.throwIfAborted();
    outcome = await flyAlone(pool, order, signal);
  }
  if (outcome.kind === "landed") return outcome.results;
  signal?.throwIfAborted();
  throw explain(outcome.error);
}

/**
 * A server that takes no writes refuses the enter statement of a write, which cannot make its transaction read-write. What a
 * statement after it is refused for was asked of a transaction that was entered as read-only, or made so by SQL of others.
 */
function explain(error: Error): unknown {
  if (!(error instanceof pg.DatabaseError)) return translateUnavailable(error);
  if (isWriteRefused(error)) return readOnlyError(error);
  return error.code === READ_ONLY_STATE ? error : translateUnavailable(error);
}

function isWriteRefused(error: Error): boolean {
  return error instanceof pg.DatabaseError && error.code === STAYS_READ_ONLY && failedStatementOf(error) === null;
}

/** Alone when nobody is there to share with, or when what it relied on was no longer prepared. */
async function flyShared(
  pool: pg.Pool,
  order: TransactionRequest,
  signal: AbortSignal | undefined,
): Promise<TransactionOutcome> {
  const outcome = await multiplexerOf(pool).fly(order, signal);
  if (outcome === null || (outcome.kind === "refused" && outcome.isRepeatable)) return flyAlone(pool, order, signal);
  return outcome;
}

async function flyAlone(
  pool: pg.Pool,
  order: TransactionRequest,
  signal: AbortSignal | undefined,
): Promise<TransactionOutcome> {
  const client = await acquireClient(pool, signal);
  let isReusable = false;
  try {
    const startedMs = performance.now();
    const outcome = await pipelineOf(client).fly(order, signal);
    multiplexerOf(pool).note(order, performance.now() - startedMs, outcome.kind === "landed");
    // After a failover the same address may lead to the server that takes writes.
    const isDemoted = outcome.kind === "refused" && isWriteRefused(outcome.error);
    isReusable = outcome.kind !== "lost" && outcome.isReusable && !isDemoted;
    return outcome;
  } finally {
    client.release(!isReusable);
  }
}

/** A write that was sent may have been committed. Of what was answered, even in part, the answer stands. */
function canFlyAgain(lost: TransactionOutcome & { kind: "lost" }, order: TransactionRequest): boolean {
  return lost.isUnsent || (lost.isUnanswered && order.isReadOnly && !order.shouldReset);
}
