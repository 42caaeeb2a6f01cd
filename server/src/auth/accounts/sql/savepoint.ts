import type { Queryable } from "../../auth-context.ts";

/** Runs the work and takes back what it wrote; what it read stays with the caller. */
export async function tryOut<T>(client: Queryable, work: () => Promise<T>): Promise<T> {
  await client.query("savepoint trial");
  const result = await work();
  await client.query("rollback to savepoint trial");
  return result;
}
