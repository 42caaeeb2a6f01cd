import type pg from "pg";
import { AppError } from "../../errors/index.ts";
import { translateUnavailable } from "../unavailable.ts";

const RETRY_AFTER_SECONDS = 1;
// The driver sets no code, so only the text identifies this error.
const POOL_IS_BUSY = "timeout exceeded when trying to connect";
/** A connection does not serve more than this before the last ones time out: queueing them would only cost memory. */
const WAITING_PER_CONNECTION = 50;

export async function acquireClient(pool: pg.Pool, signal: AbortSignal | undefined): Promise<pg.PoolClient> {
  signal?.throwIfAborted();
  if (pool.waitingCount >= pool.options.max * WAITING_PER_CONNECTION)
    throw busyError("Too many requests are waiting for the database.");
  const { promise, resolve, reject } = Promise.withResolvers<pg.PoolClient>();
  const onAbort = (): void => reject(signal?.reason);
  signal?.addEventListener("abort", onAbort, { once: true });
  pool.connect((error, client) => {
    signal?.removeEventListener("abort", onAbort);
    if (signal?.aborted === true) client?.release();
    else if (client === undefined) reject(translateAcquisition(error));
    else resolve(client);
  });
  return promise;
}

function translateAcquisition(error: unknown): unknown {
  if (!(error instanceof Error) || error.message !== POOL_IS_BUSY) return translateUnavailable(error);
  return busyError("Timed out acquiring connection from connection pool.", error);
}

/** PostgREST's code with our status for overload, so that clients and proxies retry. */
function busyError(message: string, cause?: unknown): AppError {
  return new AppError("SERVICE_UNAVAILABLE", message, {
    foreign: { code: "PGRST003", status: 503 },
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  });
}
