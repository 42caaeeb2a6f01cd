import { isUnavailable, PoolError, READ_ONLY_STATE } from "@swarmbase/postgres";
import { AppError, type AppErrorExtra } from "../errors/index.ts";
import { TOO_LARGE_HINT } from "./response-too-large.ts";

const RETRY_AFTER_SECONDS = 2;
const BUSY_RETRY_AFTER_SECONDS = 1;

/** Turns errors of an unavailable database into what clients get; returns every other error unchanged. */
export function translateUnavailable(error: unknown): unknown {
  if (error instanceof PoolError) return translatePoolError(error);
  if (!isUnavailable(error)) return error;
  if (readCode(error) === READ_ONLY_STATE) return readOnlyError(error);
  return databaseAway({ cause: error });
}

function translatePoolError({ fault, message, cause }: PoolError): AppError {
  switch (fault) {
    case "busy":
      return busyError(message, cause);
    case "read_only":
      return readOnlyError(cause);
    case "in_doubt":
      return writeInDoubt(cause);
    case "too_large":
      return new AppError("RESPONSE_TOO_LARGE", message, { hint: TOO_LARGE_HINT });
  }
}

/** deadlock_detected, serialization_failure, lock_not_available */
const CONFLICT_STATES = new Set(["40P01", "40001", "55P03"]);

/** Turns a conflict with another transaction into what clients get; returns every other error unchanged. */
export function translateConflict(error: unknown): unknown {
  const code = readCode(error);
  if (code === undefined || !CONFLICT_STATES.has(code)) return error;
  return new AppError("SERVICE_UNAVAILABLE", "Another transaction holds a lock on the same rows. Try again shortly.", {
    foreign: { code, status: 503 },
    retryAfterSeconds: BUSY_RETRY_AFTER_SECONDS,
    cause: error,
  });
}

export function databaseAway(extra: Pick<AppErrorExtra, "cause" | "headers">): AppError {
  return new AppError("SERVICE_UNAVAILABLE", "The database cannot be reached at the moment. Try again shortly.", {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    ...extra,
  });
}

/** The connection broke between the commit and its confirmation: only the database knows whether the write is stored. */
export function writeInDoubt(cause: unknown): AppError {
  return new AppError(
    "SERVICE_UNAVAILABLE",
    "The database did not confirm the write in time, so it may or may not be stored. Try again shortly.",
    {
      hint: "An insert with an Idempotency-Key is not stored twice when it is repeated with the same key.",
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      cause,
    },
  );
}

/** PostgREST's code with our status for overload, so that clients and proxies retry. */
function busyError(message: string, cause?: unknown): AppError {
  return new AppError("SERVICE_UNAVAILABLE", message, {
    foreign: { code: "PGRST003", status: 503 },
    retryAfterSeconds: BUSY_RETRY_AFTER_SECONDS,
    cause,
  });
}

function readOnlyError(cause: unknown): AppError {
  return new AppError("SERVICE_UNAVAILABLE", "The database is read-only at the moment. Try again shortly.", {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  });
}

function readCode(error: unknown): string | undefined {
  const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
  return typeof code === "string" ? code : undefined;
}
