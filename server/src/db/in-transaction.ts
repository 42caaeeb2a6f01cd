import type pg from "pg";
import { isUnavailable, translateUnavailable } from "./unavailable.ts";

/** Runs the work in a transaction, which an exception rolls back. Rejects with an AppError when the database is unavailable. */
export async function inTransaction<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch((error: unknown) => {
    throw translateUnavailable(error);
  });
  let fault: Error | undefined;
  try {
    await client.query("begin");
    const result = await work(client);
    await client.query("commit");
    return result;
  } catch (error) {
    fault = await rollBack(client, error);
    throw translateUnavailable(error);
  } finally {
    client.release(fault);
  }
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
