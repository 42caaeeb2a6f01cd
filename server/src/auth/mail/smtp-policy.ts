const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]", "::1"]);

/** Credentials are sent in clear text to the local machine only. */
export function decideTlsRequired(url: string): boolean {
  const { username, hostname } = new URL(url);
  return username !== "" && !LOOPBACK.has(hostname);
}

const TRANSIENT_CODES = new Set([
  "ECONNECTION",
  "ECONNREFUSED",
  "ECONNRESET",
  "EDNS",
  "EPIPE",
  "EPROTOCOL",
  "ESOCKET",
  "ETIMEDOUT",
]);

/** Errors that can pass within a second: a broken connection, or a temporary failure (4xx). */
export function isRetryable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const answer: unknown = Reflect.get(error, "responseCode");
  if (typeof answer === "number") return answer >= 400 && answer < 500;
  const code: unknown = Reflect.get(error, "code");
  return typeof code === "string" && TRANSIENT_CODES.has(code);
}

/** Whether the server rejected the recipient permanently. An operator can correct other permanent errors. */
export function isRecipientRejected(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const answer: unknown = Reflect.get(error, "responseCode");
  return typeof answer === "number" && answer >= 500 && Reflect.get(error, "command") === "RCPT TO";
}
