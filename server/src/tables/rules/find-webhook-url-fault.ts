/** Returns the fault of a webhook URL; null when there is none. */
export type FindUrlFault = (text: string) => string | null;

const HTTPS = /^https:\/\/[^/?#\s\\]/i;
const FORBIDDEN_CHARACTERS = /[\s\\\p{Cc}]/u;

/** Checks the syntax only; the address policy decides which hosts may be reached. */
export function findWebhookUrlFault(text: string): string | null {
  if (!HTTPS.test(text)) return "must be an HTTPS URL";
  if (FORBIDDEN_CHARACTERS.test(text)) return "must not contain white space, control characters or backslashes";
  const url = URL.parse(text);
  if (url === null) return "must be a valid URL";
  if (url.username !== "" || url.password !== "") return "must not contain a user name or password";
  return url.port === "0" ? "must not name port 0" : null;
}
