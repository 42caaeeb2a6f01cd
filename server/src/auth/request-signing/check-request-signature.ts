import { createHmac, timingSafeEqual } from "node:crypto";
import { AppError } from "../../errors/index.ts";
import type { Authentication } from "../principal/resolve-principal.ts";
import type { AuthContext } from "../auth-context.ts";
import { openSigningSecret } from "./signing-secret.ts";
import { selectSigningState } from "../sql/request-signing-secrets.ts";

export interface SignedRequest {
  readonly authentication: Authentication;
  /** As the header has it; several values are joined by commas, and so are no signature. */
  readonly signature: string | undefined;
  /** As they came. */
  readonly bodyBytes: Buffer;
  /** Neither the gate nor a transaction of the route's own looks at what the user demands. */
  readonly isDemandUnknown: boolean;
  /** The call by which a user makes a secret: who has none yet cannot have signed it. */
  readonly isForFirstSecret: boolean;
}

/** Null: there was no signature to look at. `unverified`: there was one, and no secret to check it with. */
export type SignatureStatus = "verified" | "unverified" | null;

const SIGNATURE = /^[0-9a-f]{64}$/i;

/**
 * Refuses a signature that is wrong, and the lack of one where the user is known to demand it. Where the gate has not looked,
 * the transaction of the request does, or it is asked here.
 */
export async function checkRequestSignature(
  { pool, masterKey }: Pick<AuthContext, "pool" | "masterKey">,
  { authentication, signature, bodyBytes, isDemandUnknown, isForFirstSecret }: SignedRequest,
): Promise<SignatureStatus> {
  const { principal, isSignatureRequired = false } = authentication;
  if (signature === undefined && !isSignatureRequired && !isDemandUnknown) return null;
  if (principal.role !== "authenticated") return signature === undefined ? null : "unverified";

  const { userId } = principal;
  const { secret_wrapped: wrapped = null, is_required: isRequired = false } =
    (await selectSigningState(pool, userId)) ?? {};
  const isDemanded = isSignatureRequired || (isDemandUnknown && isRequired);
  if (wrapped === null) {
    if (isDemanded && !isForFirstSecret) throw signatureRequiredError();
    return signature === undefined ? null : "unverified";
  }
  if (signature === undefined) {
    if (isDemanded) throw signatureRequiredError();
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
