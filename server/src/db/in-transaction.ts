import { acquireClient, FairPool, isUnavailable } from "@swarmbase/postgres";
import type pg from "pg";
import { translateUnavailable, writeInDoubt } from "./unavailable.ts";

/**
 * Runs the work in a transaction, which an exception rolls back. Rejects with an AppError when the database is unavailable. With a
 * key, the connection counts for the share of that user, else for the service itself.
 */
export async function inTransaction<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
  key?: string,
): Promise<T> {
  const client = await connect(pool, key).catch((error: unknown) => {
    throw translateUnavailable(error);
  });
  let fault: Error | undefined;
  let isCommitting = false;
  try {
    await client.query(beginOf(pool));
    const result = await work(client);
    isCommitting = true;
    await client.query("commit");
    return result;
  } catch (error) {
    fault = await rollBack(client, error);
    throw isCommitting && isUnavailable(error) ? writeInDoubt(error) : translateUnavailable(error);
  } finally {
    client.release(fault);
  }
}

function connect(pool: pg.Pool, key: string | undefined): Promise<pg.PoolClient> {
  return pool instanceof FairPool && key !== undefined
    ? acquireClient(pool, { key, signal: undefined })
    : pool.connect();
}

function beginOf(pool: pg.Pool): string {
  const lockTimeoutMs = pool instanceof FairPool ? pool.lockTimeoutMs : 0;
  return lockTimeoutMs === 0 ? "begin" : `begin; set local lock_timeout = ${lockTimeoutMs}`;
}

/** Returns the reason why the connection must not be used again, if any. */
async function rollBack(client: pg.PoolClient, reason: unknown): Promise<Error | undefined> {
  // A rollback would wait behind a statement that hangs.
  if (reason instanceof Error && isUnavailable(reason)) return reason;
  try {
    await client.query("rollback");
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
