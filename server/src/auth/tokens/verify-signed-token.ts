import { createHmac, timingSafeEqual, verify } from "node:crypto";
import { isRecord } from "../../json/index.ts";
import type { Clock } from "../../time/index.ts";
import type { VerifyingKey } from "../keys/load-keys.ts";
import type { KeyRing } from "./key-ring.ts";
import { tokenError } from "./token-error.ts";

/** Large enough for a token of ours with the largest user_metadata and app_metadata. */
export const TOKEN_MAX_LENGTH = 96 * 1024;
const KID_MAX_LENGTH = 256;
const ES256_SIGNATURE_BYTES = 64;
/** The clocks of nodes differ a little, so a token can come from the near future. The expiry has no leeway. */
const EARLY_LEEWAY_SECONDS = 10;
const FORM = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/;

export interface VerifiedToken {
  readonly kid: string;
  readonly expiresAtSeconds: number;
  /** As in the token; only the times and the audience are checked. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/**
 * Checks form, key, algorithm, signature, times and audience. The key decides the algorithm and the token must name the
 * same one, so that a public key is never used as a secret. The issuer is not compared, because the URL of the service
 * can change.
 *
 * Synchronous, because on the thread pool it would wait behind password hashes.
 */
export async function verifySignedToken(ring: KeyRing, token: string, clock: Clock): Promise<VerifiedToken> {
  const parts = token.length > TOKEN_MAX_LENGTH ? null : FORM.exec(token);
  if (parts === null) throw tokenError("malformed");
  const [, header = "", payload = "", signature = ""] = parts;
  const key = await findKey(ring, parseObject(header));
  if (key === null || !isSigned(key, `${header}.${payload}`, signature)) throw tokenError("malformed");

  const claims = parseObject(payload);
  if (claims === null) throw tokenError("malformed");
  return { kid: key.kid, expiresAtSeconds: checkTimes(claims, clock.now().getTime() / 1000), claims };
}

async function findKey(ring: KeyRing, header: Record<string, unknown> | null): Promise<VerifyingKey | null> {
  if (header === null || "crit" in header) return null;
  const { kid, alg } = header;
  let key: VerifyingKey | null = null;
  if (kid === undefined) key = ring.onlySecret;
  else if (typeof kid === "string" && kid !== "" && kid.length <= KID_MAX_LENGTH) key = await ring.findKey(kid);
  return key !== null && key.algorithm === alg ? key : null;
}

function isSigned({ key, algorithm }: VerifyingKey, signed: string, signature: string): boolean {
  const bytes = Buffer.from(signature, "base64url");
  // Several texts decode to the same bytes; a token must have one canonical form.
  if (bytes.toString("base64url") !== signature) return false;
  switch (algorithm) {
    case "ES256":
      return (
        bytes.length === ES256_SIGNATURE_BYTES &&
        verify("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" }, bytes)
      );
    case "RS256":
      return verify("sha256", Buffer.from(signed), key, bytes);
    case "HS256": {
      const expected = createHmac("sha256", key).update(signed).digest();
      return bytes.length === expected.length && timingSafeEqual(bytes, expected);
    }
  }
}

/** An expiry is required: a token without one could never be invalidated. Returns it in Unix seconds. */
function checkTimes({ exp, nbf, iat, aud }: Record<string, unknown>, nowSeconds: number): number {
  const isComplete = typeof exp === "number" && Number.isFinite(exp);
  if (!isComplete || !isOptionalNumber(nbf) || !isOptionalNumber(iat)) throw tokenError("bad_claims");
  if (exp <= nowSeconds) throw tokenError("expired");
  const latest = nowSeconds + EARLY_LEEWAY_SECONDS;
  if ((nbf ?? 0) > latest || (iat ?? 0) > latest) throw tokenError("not_yet_valid");
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  // Imported keys can also sign for other audiences; old tokens have none.
  if (aud !== undefined && !audiences.includes("authenticated")) throw tokenError("wrong_audience");
  return exp;
}

function isOptionalNumber(value: unknown): value is number | undefined {
  return value === undefined || typeof value === "number";
}

function parseObject(part: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}
