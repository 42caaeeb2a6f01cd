import { createHash, randomBytes } from "node:crypto";

export const CHALLENGE_MS = 300 * 1000;
const BYTES = 32;

export interface NewChallenge {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** What the database keeps. */
  readonly hash: Buffer;
}

export function newChallenge(): NewChallenge {
  const bytes = Uint8Array.from(randomBytes(BYTES));
  return { bytes, hash: hashOf(Buffer.from(bytes).toString("base64url")) };
}

/** For the library, which reads the challenge from the response of the browser. */
export function expectChallenge(hash: Buffer): (challenge: unknown) => boolean {
  return (challenge) => typeof challenge === "string" && hashOf(challenge).equals(hash);
}

function hashOf(challenge: string): Buffer {
  return createHash("sha256").update(challenge).digest();
}
