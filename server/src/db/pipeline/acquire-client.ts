import type pg from "pg";
import { AppError } from "../../errors/index.ts";
import { translateUnavailable } from "../unavailable.ts";

const RETRY_AFTER_SECONDS = 1;
// The driver gives it no code, so its text is all there is to know it by.
const POOL_IS_BUSY = "timeout exceeded when trying to connect";

export function acquireClient(pool: pg.Pool, signal: AbortSignal | undefined): Promise<pg.PoolClient> {
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
  return new AppError("SERVICE_UNAVAILABLE", "Timed out acquiring connection from connection pool.", {
    foreign: { code: "PGRST003", status: 504 },
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause: error,
  });
}
