import { createHmac } from "node:crypto";
import { type DecodedRefreshToken, decodeRefreshToken, encodeRefreshToken } from "../../tokens/refresh-token.ts";
import { formatKey, hashUserKey } from "../../user-keys/key-format.ts";

export const ACCESS_TTL_SECONDS = 3_600;
/** Neither the endpoint of a person's sessions accepts a client's token, nor the other way round. */
const REFRESH_PREFIX = "ort_";

export interface AccessToken {
  readonly token: string;
  readonly hash: Buffer;
}

/** Derived, so that a client that has lost the answer to a refresh gets the same token again. */
export function makeAccessToken(refreshKey: Buffer, counter: bigint): AccessToken {
  const token = formatKey("oat_", createHmac("sha256", refreshKey).update(`access:${counter}`).digest());
  return { token, hash: hashUserKey(token) };
}

export function makeClientRefreshToken(sessionId: string, counter: bigint, refreshKey: Buffer): string {
  return REFRESH_PREFIX + encodeRefreshToken({ sessionId, counter }, refreshKey);
}

/** Does not verify the signature. */
export function decodeClientRefreshToken(text: string): DecodedRefreshToken | null {
  return text.startsWith(REFRESH_PREFIX) ? decodeRefreshToken(text.slice(REFRESH_PREFIX.length)) : null;
}
