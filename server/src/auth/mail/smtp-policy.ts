const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]", "::1"]);

/** A user name and password never travel in the clear, except to this machine itself. */
export function decideTlsRequired(url: string): boolean {
  const { username, hostname } = new URL(url);
  return username !== "" && !LOOPBACK.has(hostname);
}

const PASSING_CODES = new Set([
  "ECONNECTION",
  "ECONNREFUSED",
  "ECONNRESET",
  "EDNS",
  "EPIPE",
  "EPROTOCOL",
  "ESOCKET",
  "ETIMEDOUT",
]);

/** What may pass within a second: a connection that broke, or a server that asks to come again (4xx). */
export function isWorthRetrying(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const answer: unknown = Reflect.get(error, "responseCode");
  if (typeof answer === "number") return answer >= 400 && answer < 500;
  const code: unknown = Reflect.get(error, "code");
  return typeof code === "string" && PASSING_CODES.has(code);
}

/**
 * The server has refused the recipient for good (5xx to RCPT TO). Other permanent answers may be about the settings, which an operator
 * can mend while the mail waits.
 */
export function isRecipientRefused(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const answer: unknown = Reflect.get(error, "responseCode");
  return typeof answer === "number" && answer >= 500 && Reflect.get(error, "command") === "RCPT TO";
}
