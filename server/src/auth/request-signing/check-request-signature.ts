import { createHmac, timingSafeEqual } from "node:crypto";
import { AppError } from "../../errors/index.ts";
import type { Authentication } from "../principal/resolve-principal.ts";
import type { AuthContext } from "../auth-context.ts";
import { openSigningSecret } from "./signing-secret.ts";
import { selectSigningState } from "../sql/request-signing-secrets.ts";

export interface SignedRequest {
  readonly authentication: Authentication;
  /** The header; several values are joined by commas, which makes them no valid signature. */
  readonly signature: string | undefined;
  readonly bodyBytes: Buffer;
  /** Neither the auth guard nor the route's transaction checks whether the user requires signatures. */
  readonly isRequirementUnknown: boolean;
  /** The call creates the user's first secret, so it cannot be signed yet. */
  readonly isForFirstSecret: boolean;
}

/** Null: no signature. `unverified`: a signature, but no secret to verify it with. */
export type SignatureStatus = "verified" | "unverified" | null;

const SIGNATURE = /^[0-9a-f]{64}$/i;

/**
 * Rejects a wrong signature, and a missing one where the user requires it. Where the auth guard does not know the
 * requirement, the route's transaction checks it, or this function does.
 */
export async function checkRequestSignature(
  { pool, masterKey }: Pick<AuthContext, "pool" | "masterKey">,
  { authentication, signature, bodyBytes, isRequirementUnknown, isForFirstSecret }: SignedRequest,
): Promise<SignatureStatus> {
  const { principal, isSignatureRequired = false } = authentication;
  if (signature === undefined && !isSignatureRequired && !isRequirementUnknown) return null;
  if (principal.role !== "authenticated") return signature === undefined ? null : "unverified";

  const { userId } = principal;
  const { secret_wrapped: wrapped = null, is_required: isRequiredByUser = false } =
    (await selectSigningState(pool, userId)) ?? {};
  const isRequired = isSignatureRequired || (isRequirementUnknown && isRequiredByUser);
  if (wrapped === null) {
    if (isRequired && !isForFirstSecret) throw signatureRequiredError();
    return signature === undefined ? null : "unverified";
  }
  if (signature === undefined) {
    if (isRequired) throw signatureRequiredError();
    return null;
  }
  const expected = createHmac("sha256", openSigningSecret(wrapped, userId, masterKey))
    .update(bodyBytes)
    .digest();
  const given = SIGNATURE.test(signature) ? Buffer.from(signature, "hex") : Buffer.alloc(expected.length);
  if (!timingSafeEqual(given, expected)) {
    throw new AppError("UNAUTHORIZED", "The request signature is wrong", {
      hint: "X-Request-Signature is the hex HMAC-SHA256 of the body's bytes, keyed with your signing secret.",
    });
  }
  return "verified";
}

export function signatureRequiredError(): AppError {
  return new AppError("UNAUTHORIZED", "A request signature is required", {
    hint: "Sign the body with the secret that the function request-signing gave you, and send X-Request-Signature.",
  });
}
