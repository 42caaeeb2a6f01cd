import pg from "pg";
import { AppError } from "../errors/index.ts";

/** SQLSTATE of `private.claim_idempotency_key`. */
const KEY_USED = "SB208";

/** Whether a transaction was rejected because an earlier request has its key. */
export function isKeyUsed(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === KEY_USED;
}

/** Selects what an earlier request with the key got: one row, or none if no request has the key. */
export const SELECT_KEPT_RESULT = "select is_same, result from private.find_kept_result($1, $2)";

/** Reads the row that the statement selected. Throws when the earlier request was a different one. */
export function readKeptResult([isSame = null, result = null]: readonly (string | null)[]): unknown {
  // It was deleted at the end of its day, after this request had found it in use.
  if (isSame === null)
    throw new AppError("SERVICE_UNAVAILABLE", "The Idempotency-Key has just expired", { retryAfterSeconds: 1 });
  if (isSame !== "t")
    throw new AppError("IDEMPOTENCY_KEY_REUSED", "The Idempotency-Key was used before with a different request");
  return JSON.parse(result ?? "[]");
}
