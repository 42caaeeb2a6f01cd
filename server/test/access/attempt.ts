import pg from "pg";
import { buildScope, type TransactionScope } from "../../src/db/index.ts";

/** What came of a try: one of the words of the matrix, or anything else that PostgreSQL said. */
export type Outcome = string;

/** A fixed value (check), a second owner (unique), a missing value (not null), a view that cannot be written. */
const NEVER_CODES = new Set(["23514", "23505", "23502", "55000"]);

export interface Attempts {
  /** Tries a statement and takes it back. With `check` it is done when that then finds a row. */
  try(statement: string, check?: string): Promise<Outcome>;
}

/** Enters as a caller, once for all tries, since every try is taken back. A null scope is the login's own work. */
export async function attemptAs<T>(
  client: pg.Client,
  scope: TransactionScope | null,
  work: (attempts: Attempts) => Promise<T>,
): Promise<T> {
  await client.query("begin");
  try {
    if (scope !== null) await enter(client, scope);
    await client.query("savepoint untouched");
    return await work({
      async try(statement, check) {
        const parts = ["rollback to untouched", statement, ...(check === undefined ? [] : [check])];
        try {
          // Several statements in one text answer with as many results; the types know of one only.
          const results = (await client.query(parts.join(";\n"))) as unknown as pg.QueryResult[];
          return (results.at(-1)?.rowCount ?? 0) > 0 ? "yes" : "-";
        } catch (error) {
          return judgeRefusal(error);
        }
      },
    });
  } finally {
    await client.query("rollback");
  }
}

export async function enter(client: pg.Client, scope: TransactionScope): Promise<void> {
  const { text, values } = buildScope(scope);
  await client.query(text, [...values]);
}

function judgeRefusal(error: unknown): Outcome {
  if (!(error instanceof pg.DatabaseError)) throw error;
  const { code = "" } = error;
  if (code === "SB007") return error.detail ?? "";
  if (code === "SB008") return "person";
  if (code === "42501") return "no";
  if (code === "23503" || code === "PT404") return "none";
  return NEVER_CODES.has(code) ? "never" : `${code} ${error.message}`;
}
