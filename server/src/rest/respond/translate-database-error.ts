import type pg from "pg";
import { readCallRejection, responseTooLargeError } from "../../db/index.ts";
import { AppError } from "../../errors/index.ts";
import { isRecord } from "../../json/index.ts";
import { foreignError, restError } from "../rest-error.ts";
import { isHeader, RESERVED_HEADERS } from "./response-settings.ts";

const RAISED_STATUS = /^PT([2-5][0-9]{2})$/;

/** Statuses without a body, which cannot carry an error. */
const BODYLESS: ReadonlySet<number> = new Set([204, 205, 304]);

const MESSAGE_HINT =
  "MESSAGE must be a JSON object with obligatory keys: 'code', 'message' and optional keys: 'details', 'hint'.";

const DETAIL_HINT =
  "DETAIL must be a JSON object with obligatory keys: 'status', 'headers' and optional key: 'status_text'.";

/**
 * SQLSTATE or its class → status, as in PostgREST. Four differ, because the request is the cause: 21000 (a row twice in an upsert),
 * 54 (a limit of PostgreSQL) and 55000 (writing to a view that is not updatable) are 400, and a statement timeout is 504, which
 * clients do not retry automatically. Conflicts with another transaction (a lock timeout, a deadlock, a serialization failure)
 * are 503, because the same request may succeed later.
 */
const STATES: readonly (readonly [status: number, states: readonly string[]])[] = [
  [400, ["21000", "54", "55000", "P0001"]],
  [403, ["0L", "0P", "28", "42501"]],
  [404, ["42883", "42P01"]],
  [405, ["25006"]],
  [409, ["23503", "23505"]],
  [500, ["09", "25", "2D", "38", "39", "3B", "40", "42P17", "53400", "55", "57", "58", "F0", "HV", "P0", "XX"]],
  [503, ["08", "40001", "40P01", "53", "55P03", "57P01"]],
  [504, ["57014"]],
];

const STATUSES = new Map(STATES.flatMap(([status, states]) => states.map((state) => [state, status])));

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

function statusOfState(state: string): number {
  return STATUSES.get(state) ?? STATUSES.get(state.slice(0, 2)) ?? 400;
}

/** Internal errors of PostgreSQL, whose texts are only logged. */
function isInternalState(state: string): boolean {
  return /^(?:XX|58|F0)/.test(state);
}

/** `raise sqlstate 'PT402'`: the database chose the status. */
function readRaisedStatus(state: string): number {
  const status = Number(RAISED_STATUS.exec(state)?.[1] ?? 500);
  return BODYLESS.has(status) ? 500 : status;
}

/** `raise sqlstate 'PGRST'`: the database wrote the whole answer, as JSON in its message and its detail. */
function translateRaisedAnswer(error: pg.DatabaseError): AppError {
  const { code, message, details = null, hint = null } = parseObject(error.message) ?? {};
  const areTexts = typeof code === "string" && typeof message === "string";
  if (!areTexts || !isTextOrNull(details) || !isTextOrNull(hint)) {
    return raisedError(error, `Invalid JSON value for MESSAGE: '${error.message}'`, MESSAGE_HINT);
  }
  if (error.detail === undefined) {
    return raisedError(error, "DETAIL is missing in the RAISE statement", DETAIL_HINT);
  }
  const answer = readDetail(error.detail);
  if (answer === null) return raisedError(error, `Invalid JSON value for DETAIL: '${error.detail}'`, DETAIL_HINT);
  const { status, headers } = answer;
  return foreignError({ code, status }, message, { details, hint, headers, cause: error });
}

function raisedError(cause: Error, details: string, hint: string): AppError {
  return restError("PGRST121", `Could not parse JSON in the "RAISE SQLSTATE 'PGRST'" error`, { details, hint, cause });
}

function readDetail(text: string): { status: number; headers: Record<string, string> } | null {
  const { status, headers } = parseObject(text) ?? {};
  if (typeof status !== "number" || !Number.isInteger(status) || !isRecord(headers)) return null;
  const isSendable = status >= 200 && status <= 599 && !BODYLESS.has(status);
  const kept: [string, string][] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== "string" || !isHeader(name, value)) return null;
    const lower = name.toLowerCase();
    // The body is always JSON.
    if (!RESERVED_HEADERS.has(lower) && lower !== "content-type") kept.push([lower, value]);
  }
  return isSendable ? { status, headers: Object.fromEntries(kept) } : null;
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}
