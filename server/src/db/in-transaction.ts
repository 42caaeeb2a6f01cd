import type pg from "pg";
import { isUnavailable, translateUnavailable } from "./unavailable.ts";

/** Begins, works, commits; anything thrown rolls back. A database that is away becomes the error that clients are told. */
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

/** Answers with why nobody else may get this connection, when that is so: its state is unknown. */
async function rollBack(client: pg.PoolClient, reason: unknown): Promise<Error | undefined> {
  // Behind a statement that hangs, a rollback would only wait too.
  if (reason instanceof Error && isUnavailable(reason)) return reason;
  try {
    await client.query("rollback");
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
