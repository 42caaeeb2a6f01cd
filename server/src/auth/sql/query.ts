import type { Queryable } from "../auth-context.ts";

export function getOnlyRow<T>(rows: readonly T[]): T {
  const [row] = rows;
  if (row === undefined) throw new Error("the statement returned no row");
  return row;
}

/** Runs the work and rolls back what it wrote. */
export async function runAndRollBack<T>(client: Queryable, work: () => Promise<T>): Promise<T> {
  await client.query("savepoint trial");
  const result = await work();
  await client.query("rollback to savepoint trial");
  return result;
}

/** Returns an id before its row exists, for values that repeat it. */
export async function selectNewId(client: Queryable): Promise<string> {
  const { rows } = await client.query<{ id: string }>("select private.new_id() as id");
  return getOnlyRow(rows).id;
}
