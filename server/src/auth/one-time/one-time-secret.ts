import { createHash, createHmac, randomInt, timingSafeEqual } from "node:crypto";
import { deriveKey } from "../../crypto/index.ts";
import type { OneTimeKind } from "../sql/one-time-tokens.ts";

export const PKCE_PREFIX = "pkce_";

interface OneTimeIdentity {
  /** New for every token, so that the same code results in another link. */
  readonly id: string;
  readonly kind: OneTimeKind;
  readonly isPkce: boolean;
}

/** Uniformly distributed digits from a cryptographic source. */
export function newCode(length: number): string {
  return String(randomInt(0, 10 ** length)).padStart(length, "0");
}

/** The token of the link, derived with a key outside the database, so that the table reveals nothing. */
export function buildTokenHash(masterKey: string, { id, kind, isPkce }: OneTimeIdentity, code: string): string {
  const mac = createHmac("sha256", deriveKey(masterKey, "one-time-tokens"));
  const text = mac.update(`${id}:${kind}:${code}`).digest("hex");
  return isPkce ? `${PKCE_PREFIX}${text}` : text;
}

/** The stored hash. The link token has 256 bits of entropy, so a plain hash suffices. */
export function hashTokenHash(tokenHash: string): Buffer {
  return createHash("sha256").update(tokenHash).digest();
}

export function isSameHash(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}
