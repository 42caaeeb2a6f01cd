import { isRecord } from "../json/index.ts";
import { findEmail } from "./users/email-address.ts";
import { decodeRefreshToken } from "./tokens/refresh-token.ts";

/** Returns the normalized e-mail address in the body of a sign-in attempt. */
export function findEmailSubject(body: unknown): string | null {
  const email = memberOf(body, "email");
  return email === null ? null : findEmail(email);
}

/** Returns the session id in a refresh token, of a person or of a client, which is not verified yet. */
export function findSessionSubject(body: unknown): string | null {
  const token = memberOf(body, "refresh_token");
  return token === null ? null : (decodeRefreshToken(token.replace(/^ort_/, ""))?.sessionId ?? null);
}

function memberOf(body: unknown, name: string): string | null {
  const value = typeof body === "string" ? new URLSearchParams(body).get(name) : isRecord(body) ? body[name] : null;
  return typeof value === "string" ? value : null;
}
