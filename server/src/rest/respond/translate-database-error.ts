import type pg from "pg";
import { readCallRejection, responseTooLargeError } from "../../db/index.ts";
import { AppError } from "../../errors/index.ts";
import { foreignError, restError } from "../rest-error.ts";
import { readRaisedStatus, translateRaisedAnswer } from "./raised-error.ts";
import { isInternalState, statusOfState } from "./error-status.ts";

/** Raised by generated statements to roll back a write; the detail is the number of rows. */
const NOT_SINGLE = "SB116";
const TOO_MANY_AFFECTED = "SB124";
/** Raised by generated statements beyond the byte limit, which is the detail. */
const TOO_LARGE = "SB413";
const INSUFFICIENT_PRIVILEGE = "42501";
const INVALID_PARAMETER = "22023";

/** Translates a database error: message, detail and hint are kept, its origin is not. */
export function translateDatabaseError(
  error: pg.DatabaseError,
  context: { readonly isAuthenticated: boolean },
): AppError {
  const state = error.code ?? "XX000";
  switch (state) {
    case NOT_SINGLE:
      return notSingleError(readRows(error), error);
    case TOO_MANY_AFFECTED:
      return restError("PGRST124", "Query result exceeds max-affected preference constraint", {
        details: `The query affects ${readRows(error)} rows`,
      });
    case TOO_LARGE:
      return responseTooLargeError(readRows(error), error);
    case INSUFFICIENT_PRIVILEGE:
      return privilegeError(error, context.isAuthenticated);
    case "PGRST":
      return translateRaisedAnswer(error);
    default:
      return readCallRejection(error) ?? passedOn(error, state);
  }
}

/** A single object was requested and there is not exactly one row. */
export function notSingleError(rows: number, cause?: Error): AppError {
  return restError("PGRST116", "Cannot coerce the result to a single JSON object", {
    details: `The result contains ${rows} rows`,
    ...(cause !== undefined && { cause }),
  });
}

/** Functions can raise these states with any detail. */
function readRows({ detail = "" }: pg.DatabaseError): number {
  return /^[0-9]+$/.test(detail) ? Number(detail) : 0;
}

function passedOn(cause: pg.DatabaseError, code: string): AppError {
  const foreign = { code, status: decideStatus(cause, code) };
  if (isInternalState(code)) return foreignError(foreign, "The database reported an internal error", { cause });
  const hint = HINTS.get(code) ?? cause.hint ?? null;
  return foreignError(foreign, cause.message, { details: cause.detail ?? null, hint, cause });
}

/** Hints for errors where PostgreSQL's hint is missing or addresses the administrator. */
const HINTS: ReadonlyMap<string, string> = new Map([
  [
    "57014",
    "The statement ran longer than the statement timeout allows. Ask for fewer rows or columns, or filter by an indexed column.",
  ],
  ["55P03", "Another transaction holds a lock on the row. Try again shortly."],
  ["54001", "A value or an expression is nested too deeply, or a function calls itself without end."],
]);

function decideStatus({ message }: pg.DatabaseError, state: string): number {
  if (state.startsWith("PT")) return readRaisedStatus(state);
  // Other invalid parameters share the state, so only the text identifies it.
  if (state === INVALID_PARAMETER && /^role .* does not exist$/s.test(message)) return 401;
  return statusOfState(state);
}

/** 403 for an authenticated caller, 401 for an anonymous one. */
function privilegeError(error: pg.DatabaseError, isAuthenticated: boolean): AppError {
  return new AppError(isAuthenticated ? "FORBIDDEN" : "UNAUTHORIZED", error.message, {
    details: error.detail ?? null,
    hint: error.hint ?? null,
    upstreamCode: INSUFFICIENT_PRIVILEGE,
    cause: error,
    ...(!isAuthenticated && { headers: { "www-authenticate": "Bearer" } }),
  });
}
