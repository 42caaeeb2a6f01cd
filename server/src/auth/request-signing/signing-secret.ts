import { randomBytes } from "node:crypto";
import { deriveKey, unwrapSecret, wrapSecret } from "../../crypto/index.ts";

const PURPOSE = "request-signing-secrets";
const PREFIX = "sbsig_";
const SECRET_BYTES = 32;

export interface NewSigningSecret {
  readonly secret: string;
  readonly wrapped: Buffer;
}

/** Shown once, to its user; the database keeps it wrapped. */
export function makeSigningSecret(userId: string, masterKey: string): NewSigningSecret {
  const secret = PREFIX + randomBytes(SECRET_BYTES).toString("base64url");
  return { secret, wrapped: wrapSecret(deriveKey(masterKey, PURPOSE), Buffer.from(secret), contextOf(userId)) };
}

/** The bytes that sign: those of the whole text, prefix included. */
export function openSigningSecret(wrapped: Buffer, userId: string, masterKey: string): Buffer {
  return unwrapSecret(deriveKey(masterKey, PURPOSE), wrapped, contextOf(userId));
}

function contextOf(userId: string): string {
  return `request-signing-secret:${userId}`;
}
