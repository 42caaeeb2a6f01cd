import type pg from "pg";

type TransactionTimer = (durationMs: number) => void;

const timers = new WeakMap<pg.Pool, TransactionTimer>();

/** Reports the duration of each transaction of this pool. */
export function timeTransactions(pool: pg.Pool, timer: TransactionTimer): void {
  timers.set(pool, timer);
}

export function timerOf(pool: pg.Pool): TransactionTimer | undefined {
  return timers.get(pool);
}
