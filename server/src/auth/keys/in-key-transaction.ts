import type { Client } from "pg";
import { lockSigningKeys } from "./sql/lock-signing-keys.ts";

/** One rotation at a time: two at once would leave two current keys. */
export async function inKeyTransaction<T>(client: Client, work: () => Promise<T>): Promise<T> {
  await client.query("begin");
  try {
    await lockSigningKeys(client);
    const outcome = await work();
    await client.query("commit");
    return outcome;
  } catch (error) {
    // The fault of the rollback, on a connection that is gone, must not hide the fault that led to it.
    await client.query("rollback").catch(() => {});
    throw error;
  }
}
