import type pg from "pg";
import { translateUnavailable } from "../unavailable.ts";
import { acquireClient } from "./acquire-client.ts";
import type { FlightOutcome } from "./flight.ts";
import { lineOf } from "./flight-line.ts";
import { buildFlightOrder, type FlightOptions, type FlightOrder, type FlightResult } from "./flight-order.ts";

/**
 * Enters as the caller and runs the statements in order: one transaction, one round trip, one result per statement. An error
 * in any takes back all. Errors of the server come as they are; a database that is away, as what clients are told.
 */
export async function runFlight(pool: pg.Pool, options: FlightOptions): Promise<readonly FlightResult[]> {
  const { signal } = options;
  signal?.throwIfAborted();
  const order = buildFlightOrder(options);
  let outcome = await flyFrom(pool, order, signal);
  if (outcome.kind === "lost" && canFlyAgain(outcome, order)) {
    signal?.throwIfAborted();
    outcome = await flyFrom(pool, order, signal);
  }
  if (outcome.kind === "landed") return outcome.results;
  signal?.throwIfAborted();
  throw translateUnavailable(outcome.error);
}

async function flyFrom(pool: pg.Pool, order: FlightOrder, signal: AbortSignal | undefined): Promise<FlightOutcome> {
  const client = await acquireClient(pool, signal);
  let isReusable = false;
  try {
    const outcome = await lineOf(client).fly(order, signal);
    isReusable = outcome.kind !== "lost" && outcome.isReusable;
    return outcome;
  } finally {
    client.release(!isReusable);
  }
}

/** A write that was sent may have been committed. Of what was answered, even in part, the answer stands. */
function canFlyAgain(lost: FlightOutcome & { kind: "lost" }, order: FlightOrder): boolean {
  return lost.isUnsent || (lost.isUnanswered && order.isReadOnly && !order.shouldReset);
}
