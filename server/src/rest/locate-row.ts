import pg from "pg";
import type { ReadAttempt, WriteAttempt } from "./table-rules.ts";
import { parameteriseRequest } from "./plan/parameterise-request.ts";
import type { PreparedRequest } from "./prepare-request.ts";
import type { RestCall } from "./rest-call.ts";
import { type RunOptions, runPrepared } from "./run-prepared.ts";

/** Errors about one row: a missing value, a check, a reference, a row-level rule. */
const STATES_OF_ROWS: ReadonlySet<string> = new Set(["23502", "23503", "23514", "42501"]);

/** A search takes up to ten statements of up to this many rows. Longer lists are not searched. */
const MAX_ROWS = 1_000;

interface RejectedWrite {
  readonly attempt: ReadAttempt | WriteAttempt | null;
  /** The requests of the transaction, up to and including the rejected one. */
  readonly prepared: readonly PreparedRequest[];
  readonly calls: readonly [RestCall, ...RestCall[]];
}

/**
 * Finds the row of a list that the database rejected. PostgreSQL does not report it, so the first rows are written again and rolled
 * back: the shortest prefix of the list that fails with the same error ends with that row. Null when it is not found.
 *
 * Only errors of the service's tables name rows. Other SQL is not run again: not all of its effects can be rolled back.
 */
export async function locateRow(
  error: unknown,
  { attempt, prepared, calls }: RejectedWrite,
  { maxRows, ...options }: RunOptions & { readonly maxRows: number | null },
): Promise<number | null> {
  const rejected = prepared.at(-1);
  if (!(error instanceof pg.DatabaseError) || rejected === undefined || attempt === null) return null;
  const { request } = rejected;
  const { body } = request;
  if (body.kind !== "rows" || !body.isArray) return null;
  if (options.preRequest !== null || prepared.some(({ shape }) => shape.isForeign)) return null;
  return findFirstFailure(error, body.rows.length, (count) => {
    const rows = body.rows.slice(0, count);
    const shortened = { ...request, body: { ...body, rows, text: JSON.stringify(rows) } };
    const { values } = parameteriseRequest(shortened, rejected.media, { maxRows });
    const written = [...prepared.slice(0, -1), { ...rejected, request: shortened, values }];
    return runPrepared(written, calls, { ...options, shouldRollBack: true });
  });
}

async function findFirstFailure(
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
