import { failedStatementOf } from "@swarmbase/postgres";
import pg from "pg";
import type { Principal } from "../db/index.ts";
import { AppError } from "../errors/index.ts";
import { isMisfit, isStaleSign } from "./catalogue/stale-signs.ts";
import type { ParsedRequest } from "./parse/parsed-request.ts";
import { describeMismatch } from "./plan/write-check.ts";
import type { RestOptions } from "./rest-options.ts";
import { translateDatabaseError } from "./respond/translate-database-error.ts";
import { STALE_TYPE_ROWS } from "./sql/body-rows.ts";
import type { ReadAttempt, WriteAttempt } from "./table-rules.ts";

/** Raised by the statement itself when a write or a call did not give exactly one row. */
const NOT_SINGLE = "SB116";
const READ_ONLY = "25006";
/** Raised by the rules of API keys, in any statement. */
const KEY_STATES: ReadonlySet<string> = new Set(["SB007", "SB008"]);
const UNKNOWN_NAME = /^PGRST20\d$/;

/** A request that the database rejected, and the table that it addressed. */
interface RejectedRequest {
  readonly request: ParsedRequest;
  readonly attempt: ReadAttempt | WriteAttempt | null;
  /** The statement never finds a row, so an empty result does not mean that the addressed row is missing. */
  readonly isWithoutEffect?: boolean;
  /** The rejected row of a list; null when it is not known. */
  readonly rowIndex?: number | null;
}

/** Translates a database error: by the session check, by the rules of the table, or as PostgREST does. */
export async function explainError(
  error: unknown,
  rejected: RejectedRequest | null,
  principal: Principal,
  { rules, translateEnter }: Pick<RestOptions, "rules" | "translateEnter">,
): Promise<unknown> {
  if (!(error instanceof pg.DatabaseError)) return error;
  // A statement of a developer could raise the errors of the session check too, but not end a session by that.
  const isOfSession = failedStatementOf(error) === null || KEY_STATES.has(error.code ?? "");
  const entered = isOfSession ? translateEnter(error, principal) : error;
  if (entered !== error) return entered;
  const mismatch = error.code === NOT_SINGLE ? findMismatch(rejected, Number(error.detail)) : null;
  if (mismatch !== null) return mismatch;
  const named = rejected === null ? null : await explainByRules(error, rejected, rules);
  return named ?? translateDatabaseError(error, { isAuthenticated: principal.role !== "anon" });
}

function explainByRules(
  error: pg.DatabaseError,
  { attempt, isWithoutEffect, rowIndex = null }: RejectedRequest,
  rules: RestOptions["rules"],
): ReturnType<RestOptions["rules"]["explainMissing"]> {
  if (attempt === null) return null;
  if (error.code !== NOT_SINGLE || error.detail !== "0") return rules.explainRejection(error, attempt, rowIndex);
  return isWithoutEffect === true ? null : rules.explainMissing(attempt);
}

/** A list that must return a single object, or that addresses a missing row, keeps the error for that. */
function findMismatch(rejected: RejectedRequest | null, rows: number): AppError | null {
  if (rejected === null) return null;
  const { request } = rejected;
  if (rows === STALE_TYPE_ROWS) return null;
  const isSingle = request.accept[0]?.type.startsWith("application/vnd.pgrst.object") ?? false;
  return request.method === "PATCH" && (isSingle || rows < 2) ? null : describeMismatch(request);
}

/** The error may be caused by an outdated catalogue: a name, or the type of an argument, may have changed. */
export function isDoubtful(error: unknown, requests: readonly ParsedRequest[] = []): boolean {
  if (!(error instanceof AppError)) return false;
  if (error.extra.isByCatalogue === true) return true;
  if (UNKNOWN_NAME.test(error.extra.foreign?.code ?? "")) return true;
  const { cause } = error;
  if (!(cause instanceof pg.DatabaseError) || cause.code === undefined) return false;
  const isStaleType = cause.code === NOT_SINGLE && Number(cause.detail) === STALE_TYPE_ROWS;
  // The function may have become volatile.
  const isStaleVolatility = cause.code === READ_ONLY && requests.some(({ method }) => method === "POST");
  return (
    isStaleType ||
    isStaleVolatility ||
    isStaleSign(cause.code) ||
    (isMisfit(cause.code) && requests.some(hasTypedValues))
  );
}

/** Columns of a body and function parameters are cast to types of the catalogue; operands of filters are not. */
function hasTypedValues({ target, body }: ParsedRequest): boolean {
  return target.kind === "rpc" || body.kind === "rows";
}
