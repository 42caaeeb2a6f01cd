import { findEmail } from "./accounts/email-address.ts";
import { decodeRefreshToken } from "./tokens/refresh-token.ts";

/** The e-mail address that the body of an attempt names, in the one form that all its spellings have. */
export function findNamedEmail(body: unknown): string | null {
  const email = memberOf(body, "email");
  return email === null ? null : findEmail(email);
}

/** The session that a refresh token claims to be of. Whether it is genuine is found out later. */
export function findClaimedSession(body: unknown): string | null {
  const token = memberOf(body, "refresh_token");
  return token === null ? null : (decodeRefreshToken(token)?.sessionId ?? null);
}

function memberOf(body: unknown, name: string): string | null {
  if (typeof body !== "object" || body === null || !Object.hasOwn(body, name)) return null;
  const value: unknown = Reflect.get(body, name);
  return typeof value === "string" ? value : null;
}
