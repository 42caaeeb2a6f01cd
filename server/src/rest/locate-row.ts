import pg from "pg";

/** Errors about one row: a missing value, a check, a reference, a row-level rule. */
const STATES_OF_ROWS: ReadonlySet<string> = new Set(["23502", "23503", "23514", "42501"]);

/** A search takes up to ten statements of up to this many rows. Longer lists are not searched. */
const MAX_ROWS = 1_000;

/**
 * Finds the row of a list that the database rejected. PostgreSQL does not report it, so the first rows are written again and rolled
 * back: the shortest prefix of the list that fails with the same error ends with that row. Null when it is not found.
 */
export async function locateRow(
  error: pg.DatabaseError,
  rowCount: number,
  writeFirst: (count: number) => Promise<unknown>,
): Promise<number | null> {
  if (rowCount === 0 || rowCount > MAX_ROWS || !STATES_OF_ROWS.has(error.code ?? "")) return null;
  let [passing, failing] = [0, rowCount];
  while (failing - passing > 1) {
    const count = Math.floor((passing + failing) / 2);
    const outcome = await writeFirst(count).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    if (outcome !== null && !(outcome instanceof pg.DatabaseError)) return null;
    if (outcome !== null && isAlike(outcome, error)) failing = count;
    else passing = count;
  }
  return failing - 1;
}

function isAlike(one: pg.DatabaseError, other: pg.DatabaseError): boolean {
  const fields = ["code", "table", "column", "constraint", "message"] as const;
  return fields.every((field) => one[field] === other[field]);
}
