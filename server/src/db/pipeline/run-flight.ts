import pg from "pg";
import { READ_ONLY_STATE, readOnlyError, translateUnavailable } from "../unavailable.ts";
import { acquireClient } from "./acquire-client.ts";
import { failedStatementOf, type FlightOutcome } from "./flight.ts";
import { deckOf } from "./flight-deck.ts";
import { lineOf } from "./flight-line.ts";
import { timerOf } from "./flight-times.ts";
import { buildFlightOrder, type FlightOptions, type FlightOrder, type FlightResult } from "./flight-order.ts";

/** Of `set transaction_read_only = off` where the default is on, or where the server is a standby. */
const STAYS_READ_ONLY = "25001";

/**
 * Enters as the caller and runs the statements in order: one transaction, one round trip, one result per statement. An error
 * in any takes back all. Errors of the server come as they are; a database that is away, as what clients are told.
 */
export async function runFlight(pool: pg.Pool, options: FlightOptions): Promise<readonly FlightResult[]> {
  const timer = timerOf(pool);
  if (timer === undefined) return fly(pool, options);
  const startedMs = performance.now();
  try {
    return await fly(pool, options);
  } finally {
    timer(performance.now() - startedMs);
  }
}

async function fly(pool: pg.Pool, options: FlightOptions): Promise<readonly FlightResult[]> {
  const { signal } = options;
  signal?.throwIfAborted();
  const order = buildFlightOrder(options);
  let outcome = await (deckOf(pool).takes(order) ? flyShared : flyAlone)(pool, order, signal);
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
async function flyShared(pool: pg.Pool, order: FlightOrder, signal: AbortSignal | undefined): Promise<FlightOutcome> {
  const outcome = await deckOf(pool).fly(order, signal);
  if (outcome === null || (outcome.kind === "refused" && outcome.isRepeatable)) return flyAlone(pool, order, signal);
  return outcome;
}

async function flyAlone(pool: pg.Pool, order: FlightOrder, signal: AbortSignal | undefined): Promise<FlightOutcome> {
  const client = await acquireClient(pool, signal);
  let isReusable = false;
  try {
    const startedMs = performance.now();
    const outcome = await lineOf(client).fly(order, signal);
    deckOf(pool).note(order, performance.now() - startedMs, outcome.kind === "landed");
    // After a failover the same address may lead to the server that takes writes.
    const isDemoted = outcome.kind === "refused" && isWriteRefused(outcome.error);
    isReusable = outcome.kind !== "lost" && outcome.isReusable && !isDemoted;
    return outcome;
  } finally {
    client.release(!isReusable);
  }
}

/** A write that was sent may have been committed. Of what was answered, even in part, the answer stands. */
function canFlyAgain(lost: FlightOutcome & { kind: "lost" }, order: FlightOrder): boolean {
  return lost.isUnsent || (lost.isUnanswered && order.isReadOnly && !order.shouldReset);
}
