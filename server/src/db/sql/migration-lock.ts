import type { ClientBase } from "pg";

/** Any number will do, as long as every node takes the same. */
const KEY = 7_302_911_402;

/** False when another node migrates. Ending the connection gives the lock back, however it ends. */
export async function tryMigrationLock(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>("select pg_try_advisory_lock($1) as taken", [KEY]);
  return rows[0]?.taken === true;
}

export async function waitForMigrationLock(client: ClientBase): Promise<void> {
  await client.query("select pg_advisory_lock($1)", [KEY]);
}

/** Runs `work` while no node migrates. Any number of connections can do so at the same time. */
export async function whileNobodyMigrates<Result>(client: ClientBase, work: () => Promise<Result>): Promise<Result> {
  await client.query("select pg_advisory_lock_shared($1)", [KEY]);
  try {
    return await work();
  } finally {
    await client.query("select pg_advisory_unlock_shared($1)", [KEY]);
  }
}
