import type pg from "pg";
import { acquireClient } from "./acquire-client.ts";
import type { Flight, FlightOutcome } from "./flight.ts";
import { lineOf } from "./flight-line.ts";
import type { FlightOrder } from "./flight-order.ts";
import { StatementPace } from "./statement-pace.ts";

/** More would save little and make the last wait for all the others. */
const MAX_TOGETHER = 4;
/** Many times what quick statements take together. */
const PATIENCE_MS = 50;

const decks = new WeakMap<pg.Pool, FlightDeck>();

export function deckOf(pool: pg.Pool): FlightDeck {
  let deck = decks.get(pool);
  if (deck === undefined) {
    deck = new FlightDeck(pool);
    decks.set(pool, deck);
  }
  return deck;
}

interface Passenger {
  readonly order: FlightOrder;
  flight: Flight | null;
  hasLeft: boolean;
  /** Null: it has to fly alone. */
  settle(outcome: Promise<FlightOutcome> | null): void;
  fail(error: unknown): void;
}

/**
 * Where reads wait for others that are ready in the same turn of the event loop, to be sent in one write: a write that
 * wakes a sleeping server process costs both sides about as much as the rest of a small read.
 */
class FlightDeck {
  readonly #pool: pg.Pool;
  readonly pace = new StatementPace();
  #boarded: Passenger[] = [];
  #isDepartureSet = false;
  #firstBoardedMs = 0;
  #turnMs = 0;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  takes(order: FlightOrder): boolean {
    return order.canShare && this.pace.isQuick(order);
  }

  /** Null when it has to fly alone after all. Who leaves is not waited for, but what was sent for them is still run. */
  async fly(order: FlightOrder, signal: AbortSignal | undefined): Promise<FlightOutcome | null> {
    const { promise, resolve: settle, reject: fail } = Promise.withResolvers<FlightOutcome | null>();
    const passenger: Passenger = { order, flight: null, hasLeft: false, settle, fail };
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
  note(order: FlightOrder, durationMs: number, hasLanded: boolean): void {
    if (order.canShare) this.pace.note(order, Math.max(0, durationMs - 2 * this.#turnMs), hasLanded);
  }

  #board(passenger: Passenger): void {
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

  async #flyTogether(passengers: readonly Passenger[]): Promise<void> {
    let client: pg.PoolClient;
    try {
      client = await acquireClient(this.#pool, undefined);
    } catch (error) {
      for (const { fail } of passengers) fail(error);
      return;
    }
    const line = lineOf(client);
    const taken: Passenger[] = [];
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
    const patience = setTimeout(() => setImmediate(() => desertWaiting(flights)), PATIENCE_MS);
    client.release(!(await isReusable));
    clearTimeout(patience);
    for (const { order, durationMs, hasLanded } of flights) this.note(order, durationMs, hasLanded);
  }
}

/** Behind one that is slow for once, perhaps because of a lock: as reads, they can be asked again elsewhere. */
function desertWaiting(flights: readonly Flight[]): void {
  for (const flight of flights) if (!flight.hasBegun) flight.desert();
}
