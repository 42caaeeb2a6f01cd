import type pg from "pg";
import { acquireClient } from "./acquire-client.ts";
import type { Flight, TransactionOutcome } from "./pipelined-transaction.ts";
import { pipelineOf } from "./connection-pipeline.ts";
import type { TransactionRequest } from "./transaction-request.ts";
import { StatementPace } from "./statement-pace.ts";

/** More would save little and make the last wait for all the others. */
const MAX_TOGETHER = 4;
/** Many times what quick statements take together. */
const PATIENCE_MS = 50;

const decks = new WeakMap<pg.Pool, ReadMultiplexer>();

export function multiplexerOf(pool: pg.Pool): ReadMultiplexer {
  let deck = decks.get(pool);
  if (deck === undefined) {
    deck = new ReadMultiplexer(pool);
    decks.set(pool, deck);
  }
  return deck;
}

interface PendingRead {
  readonly order: TransactionRequest;
  flight: Flight | null;
  hasLeft: boolean;
  /** Null: it has to fly alone. */
  settle(outcome: Promise<TransactionOutcome> | null): void;
  fail(error: unknown): void;
}

/**
 * Where reads wait for others that are ready in the same turn of the event loop, to be sent in one write: a write that
 * wakes a sleeping server process costs both sides about as much as the rest of a small read.
 */
class ReadMultiplexer {
  readonly #pool: pg.Pool;
  readonly pace = new StatementPace();
  #boarded: PendingRead[] = [];
  #isDepartureSet = false;
  #firstBoardedMs = 0;
  #turnMs = 0;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  takes(order: TransactionRequest): boolean {
    return order.canShare && this.pace.isQuick(order);
  }

  /** Null when it has to fly alone after all. Who leaves is not waited for, but what was sent for them is still run. */
  async fly(order: TransactionRequest, signal: AbortSignal | undefined): Promise<TransactionOutcome | null> {
    const { promise, resolve: settle, reject: fail } = Promise.withResolvers<TransactionOutcome | null>();
    const passenger: PendingRead = { order, flight: null, hasLeft: false, settle, fail };
    const onAbort = (): void => {
      passenger.hasLeft = true;
      passenger.flight?.desert();
      fail(signal?.reason);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#board(passenger);
    try {
      return await promise;
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Of what an answer took, the time in which this process was busy with others is not the statement's. */
  note(order: TransactionRequest, durationMs: number, hasCommitted: boolean): void {
    if (order.canShare) this.pace.note(order, Math.max(0, durationMs - 2 * this.#turnMs), hasCommitted);
  }

  #board(passenger: PendingRead): void {
    if (this.#boarded.push(passenger) === MAX_TOGETHER) return this.#depart();
    if (this.#isDepartureSet) return;
    this.#isDepartureSet = true;
    this.#firstBoardedMs = performance.now();
    // By then every socket that had something to say in this turn has been read.
    setImmediate(() => {
      this.#isDepartureSet = false;
      this.#turnMs = Math.max(performance.now() - this.#firstBoardedMs, this.#turnMs * 0.9);
      this.#depart();
    });
  }

  #depart(): void {
    const passengers = this.#boarded.filter(({ hasLeft }) => !hasLeft);
    this.#boarded = [];
    if (passengers.length > 1) void this.#flyTogether(passengers);
    else for (const { settle } of passengers) settle(null);
  }

  async #flyTogether(passengers: readonly PendingRead[]): Promise<void> {
    let client: pg.PoolClient;
    try {
      client = await acquireClient(this.#pool, undefined);
    } catch (error) {
      for (const { fail } of passengers) fail(error);
      return;
    }
    const line = pipelineOf(client);
    const taken: PendingRead[] = [];
    for (const passenger of passengers) {
      if (!line.hasPrepared(passenger.order)) passenger.settle(null);
      else if (!passenger.hasLeft) taken.push(passenger);
    }
    if (taken.length === 0) return client.release();
    const { flights, isReusable } = line.flyTogether(taken.map(({ order }) => order));
    for (const [at, passenger] of taken.entries()) {
      passenger.flight = flights[at] ?? null;
      passenger.settle(passenger.flight?.outcome ?? null);
    }
    const patience = setTimeout(() => setImmediate(() => detachWaiting(flights)), PATIENCE_MS);
    client.release(!(await isReusable));
    clearTimeout(patience);
    for (const { order, durationMs, hasCommitted } of flights) this.note(order, durationMs, hasCommitted);
  }
}

/** Behind one that is slow for once, perhaps because of a lock: as reads, they can be asked again elsewhere. */
function detachWaiting(flights: readonly Flight[]): void {
  for (const flight of flights) if (!flight.hasBegun) flight.desert();
}
