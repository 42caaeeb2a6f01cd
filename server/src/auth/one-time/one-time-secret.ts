import { createHash, createHmac, randomInt, timingSafeEqual } from "node:crypto";
import { deriveKey } from "../../crypto/index.ts";
import type { OneTimeKind } from "./one-time-kind.ts";

export const PKCE_PREFIX = "pkce_";

export interface OneTimeIdentity {
  /** Fresh for every token, so that the same code again gives another link. */
  readonly id: string;
  readonly kind: OneTimeKind;
  readonly isPkce: boolean;
}

/** Digits from a cryptographic source, every code as likely as any other. */
export function newCode(length: number): string {
  return String(randomInt(0, 10 ** length)).padStart(length, "0");
}

/**
 * What stands in the link. It follows from the code under a key that is not in the database: who reads the table can
 * neither make it nor try out the few codes there are.
 */
export function buildTokenHash(masterKey: string, { id, kind, isPkce }: OneTimeIdentity, code: string): string {
  const mac = createHmac("sha256", deriveKey(masterKey, "one-time-tokens"));
  const text = mac.update(`${id}:${kind}:${code}`).digest("hex");
  return isPkce ? `${PKCE_PREFIX}${text}` : text;
}

/** What is stored. The link's text has 256 bits that cannot be guessed, so a plain hash keeps it. */
export function hashTokenHash(tokenHash: string): Buffer {
  return createHash("sha256").update(tokenHash).digest();
}

export function isSameHash(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}
