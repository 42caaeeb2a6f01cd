import pg from "pg";

/** Rejections that are about one row: a missing value, a check, a reference, a row-level rule. */
const STATES_OF_ROWS: ReadonlySet<string> = new Set(["23502", "23503", "23514", "42501"]);

/** Each search takes up to ten statements of at most so many rows. In longer lists the row is not looked for. */
const MAX_ROWS = 1_000;

/**
 * Which row of a list the database rejected. PostgreSQL does not say, so the first rows alone are written again, and undone:
 * the shortest beginning of the list that fails in the same way ends with that row. Null when it cannot be told.
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
