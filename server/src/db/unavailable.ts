import { AppError, type AppErrorExtra } from "../errors/index.ts";

const RETRY_AFTER_SECONDS = 2;

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

/** The server was asked to write in a transaction that is read-only. */
export const READ_ONLY_STATE = "25006";

// The driver gives these no code, so their text is all there is to know them by.
const DRIVER_MESSAGES = [
  "Connection terminated",
  "timeout exceeded when trying to connect",
  "timeout expired",
  "Query read timeout",
  "Client has encountered a connection error and is not queryable",
  "Client was closed and is not queryable",
  "Cannot use a pool after calling end on the pool",
];

/** Whether the database could not be asked, or takes no writes, as against having answered with an error about the statement. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.every(isUnavailable);
  const code = readText(error, "code");
  if (code === undefined) return DRIVER_MESSAGES.some((message) => error.message.startsWith(message));
  if (NETWORK_CODES.has(code) || SHUTDOWN_STATES.has(code) || code === READ_ONLY_STATE) return true;
  // No such socket file. The same code about another file is not about the database.
  if (code === "ENOENT") return readText(error, "syscall") === "connect";
  // A protocol fault inside a statement is a mistake of ours; when it ends the connection, a pooler speaks for its server.
  if (code === "08P01") return readText(error, "severity") === "FATAL";
  // A bound that somebody set, such as that on temporary files, is passed by the statement, not by the moment.
  if (code === "53400") return false;
  return /^(08|53)[0-9A-Z]{3}$/.test(code);
}

/** What a client is told when the database is away; every other error comes back as it is. */
export function translateUnavailable(error: unknown): unknown {
  if (!isUnavailable(error)) return error;
  if (readText(error as Error, "code") === READ_ONLY_STATE) return readOnlyError(error);
  return databaseAway({ cause: error });
}

export function databaseAway(extra: Pick<AppErrorExtra, "cause" | "headers">): AppError {
  return new AppError("SERVICE_UNAVAILABLE", "The database cannot be reached at the moment. Try again shortly.", {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    ...extra,
  });
}

export function readOnlyError(cause: unknown): AppError {
  return new AppError("SERVICE_UNAVAILABLE", "The database takes no writes at the moment. Try again shortly.", {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  });
}

function readText(error: Error, name: string): string | undefined {
  const value: unknown = Reflect.get(error, name);
  return typeof value === "string" ? value : undefined;
}
