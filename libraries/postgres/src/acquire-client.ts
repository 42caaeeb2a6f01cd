import type pg from "pg";
import type { ConnectionHolder, ConnectionRequest, FairPool } from "./fair-pool.ts";
import { PoolError } from "./pool-error.ts";

// The driver sets no code, so only the text identifies this error.
const POOL_IS_BUSY = "timeout exceeded when trying to connect";

interface AcquireOptions extends ConnectionHolder {
  readonly signal: AbortSignal | undefined;
  /** Whether the permit for the connection is held already. */
  readonly isGranted?: boolean;
}

/** Resolves with a connection that counts for the share of its holder until it is released. */
export async function acquireClient(pool: FairPool, options: AcquireOptions): Promise<pg.PoolClient> {
  const { signal, isGranted = false } = options;
  if (signal?.aborted === true && isGranted) pool.giveBack(options);
  signal?.throwIfAborted();
  if (!isGranted && !pool.tryTake(options)) await waitForPermit(pool, options);
  const { promise, resolve, reject } = Promise.withResolvers<pg.PoolClient>();
  pool.open(options, (error, client) => {
    if (client === undefined) reject(translateAcquisition(pool, error));
    else if (signal?.aborted !== true) resolve(client);
    else {
      client.release();
      reject(signal.reason);
    }
  });
  return promise;
}

async function waitForPermit(pool: FairPool, { key, isLong = false, signal }: AcquireOptions): Promise<void> {
  const { promise, resolve: start, reject } = Promise.withResolvers<void>();
  const request: ConnectionRequest = { key, isLong, start, fail: (error) => reject(translateAcquisition(pool, error)) };
  const onAbort = (): void => {
    pool.withdraw(request);
    reject(signal?.reason);
  };
  signal?.addEventListener("abort", onAbort);
  pool.enqueue([request]);
  try {
    await promise;
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
  // The permit was granted before the abort.
  if (signal?.aborted !== true) return;
  pool.giveBack(request);
  signal.throwIfAborted();
}

export function translateAcquisition(pool: FairPool, error: unknown): unknown {
  const isBusy = error instanceof Error && error.message === POOL_IS_BUSY;
  return pool.translateError(
    isBusy ? new PoolError("busy", "Timed out acquiring connection from connection pool.", error) : error,
  );
}
