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

function readText(error: Error, name: string): string | undefined {
  const value: unknown = Reflect.get(error, name);
  return typeof value === "string" ? value : undefined;
}
