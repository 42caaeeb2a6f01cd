import type pg from "pg";

type FlightTimer = (durationMs: number) => void;

const timers = new WeakMap<pg.Pool, FlightTimer>();

/** Tells how long each flight from this pool took. */
export function timeFlights(pool: pg.Pool, timer: FlightTimer): void {
  timers.set(pool, timer);
}

export function timerOf(pool: pg.Pool): FlightTimer | undefined {
  return timers.get(pool);
}
