import { AppError, type AppErrorExtra } from "../errors/index.ts";

const RETRY_AFTER_SECONDS = 2;
const BUSY_RETRY_AFTER_SECONDS = 1;

const NETWORK_CODES = new Set([
  "EAI_AGAIN",
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTDOWN",
  "EHOSTUNREACH",
  "ENETDOWN",
  "ENETUNREACH",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
]);

// shutdown by an administrator, crash, start-up or shutdown in progress, database dropped, idle session ended
const SHUTDOWN_STATES = new Set(["57P01", "57P02", "57P03", "57P04", "57P05"]);

/** read_only_sql_transaction */
export const READ_ONLY_STATE = "25006";

// The driver sets no code for these, so only the text identifies them.
const DRIVER_MESSAGES = [
  "Connection terminated",
  "timeout exceeded when trying to connect",
  "timeout expired",
  "Query read timeout",
  "Client has encountered a connection error and is not queryable",
  "Client was closed and is not queryable",
  "Cannot use a pool after calling end on the pool",
];

/** Whether the database is unreachable or read-only, as opposed to an error about the statement. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.every(isUnavailable);
  const code = readText(error, "code");
  if (code === undefined) return DRIVER_MESSAGES.some((message) => error.message.startsWith(message));
  if (NETWORK_CODES.has(code) || SHUTDOWN_STATES.has(code) || code === READ_ONLY_STATE) return true;
  // A missing socket file. The same code for another file does not concern the database.
  if (code === "ENOENT") return readText(error, "syscall") === "connect";
  // A protocol violation within a statement is a bug of ours; a fatal one comes from a pooler, on behalf of its server.
  if (code === "08P01") return readText(error, "severity") === "FATAL";
  // A configured limit, such as that on temporary files, is exceeded by the statement, whatever the load.
  if (code === "53400") return false;
  return /^(08|53)[0-9A-Z]{3}$/.test(code);
}

/** Turns errors of an unavailable database into what clients get; returns every other error unchanged. */
export function translateUnavailable(error: unknown): unknown {
  if (!isUnavailable(error)) return error;
  if (readText(error as Error, "code") === READ_ONLY_STATE) return readOnlyError(error);
  return databaseAway({ cause: error });
}

/** deadlock_detected, serialization_failure, lock_not_available */
const CONFLICT_STATES = new Set(["40P01", "40001", "55P03"]);

/** Turns a conflict with another transaction into what clients get; returns every other error unchanged. */
export function translateConflict(error: unknown): unknown {
  const code = error instanceof Error ? readText(error, "code") : undefined;
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
export function busyError(message: string, cause?: unknown): AppError {
  return new AppError("SERVICE_UNAVAILABLE", message, {
    foreign: { code: "PGRST003", status: 503 },
    retryAfterSeconds: BUSY_RETRY_AFTER_SECONDS,
    cause,
  });
}

export function readOnlyError(cause: unknown): AppError {
  return new AppError("SERVICE_UNAVAILABLE", "The database is read-only at the moment. Try again shortly.", {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  });
}

function readText(error: Error, name: string): string | undefined {
  const value: unknown = Reflect.get(error, name);
  return typeof value === "string" ? value : undefined;
}
