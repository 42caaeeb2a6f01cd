import type pg from "pg";
import { AppError } from "../../errors/index.ts";
import { isWriteAttempt } from "../../rest/index.ts";
import { faultsError } from "../faults-error.ts";
import { explainCheck } from "./explain-check.ts";
import { explainReference } from "./explain-reference.ts";
import { explainRights } from "./explain-rights.ts";
import { placeOf, type RejectedAttempt } from "./rejected-attempt.ts";

const UNREADABLE_VALUE = /^22/;

/** Maps database errors to the codes of `findFaults`. Errors without a code keep their SQLSTATE. */
export async function explainRejection(rejection: RejectedAttempt): Promise<AppError | null> {
  const { error, attempt } = rejection;
  // Errors of a user-defined table that references a table of the service keep their text.
  if (error.table !== undefined && error.table !== attempt.relation.name) return null;
  if (attempt.principal.role === "anon" && error.code !== undefined && UNREADABLE_VALUE.test(error.code)) {
    return signInError(error);
  }
  switch (error.code) {
    case "42501":
      return explainRights(rejection);
    case "23514":
      return explainCheck(rejection);
    case "23503":
      return explainReference(rejection);
    case "23502":
      return explainNull(rejection);
    default:
      return null;
  }
}

function explainNull(rejection: RejectedAttempt): AppError | null {
  const { error, attempt, rule } = rejection;
  if (rule === null || error.column === undefined || !isWriteAttempt(attempt)) return null;
  const place = placeOf(rejection, error.column);
  return faultsError([{ place, message: "is required", code: null }], attempt.operation);
}

/** PostgreSQL parses values before it checks privileges; anonymous callers get 401 all the same. */
function signInError(cause: pg.DatabaseError): AppError {
  const headers = { "www-authenticate": "Bearer" };
  return new AppError("UNAUTHORIZED", "This table is open to signed-in users only", { headers, cause });
}
