import { createHmac, timingSafeEqual } from "node:crypto";
import { AppError } from "../../errors/index.ts";
import type { Authentication, RequiredSignatures } from "../principal/resolve-principal.ts";
import type { AuthContext } from "../auth-context.ts";
import { insertNonce } from "../sql/insert-nonce.ts";
import { selectSigningState, type SigningState } from "../sql/request-signing-secrets.ts";
import { messageSignatureError, signatureRequiredError } from "../signature-errors.ts";
import { type SignedMessage, verifyMessageSignature } from "./message-signature.ts";
import { openSigningSecret } from "./signing-secret.ts";

export interface SignedRequest {
  readonly authentication: Authentication;
  /** The header; several values are joined by commas, which makes them no valid signature. */
  readonly signature: string | undefined;
  /** Null without an HTTP message signature. */
  readonly message: SignedMessage | null;
  readonly bodyBytes: Buffer;
  /** Neither the auth guard nor the route's transaction checks which signatures the user requires. */
  readonly isRequirementUnknown: boolean;
  /** The call creates the user's first secret, so it cannot be signed yet. */
  readonly isForFirstSecret: boolean;
}

export interface VerifiedSignatures {
  /** `X-Request-Signature` was verified. */
  readonly isBodySigned: boolean;
  /** The HTTP message signature was verified, and its nonce is new. */
  readonly isMessageSigned: boolean;
  /** There was a signature, but no secret to verify it with. */
  readonly isUnverified: boolean;
}

const SIGNATURE = /^[0-9a-f]{64}$/i;
const UNVERIFIED: VerifiedSignatures = { isBodySigned: false, isMessageSigned: false, isUnverified: true };

/**
 * Rejects a wrong signature, and a missing one where the user requires it. Where the auth guard does not know the
 * requirement, the route's transaction checks it, or this function does. Returns null without a signature.
 */
export async function checkRequestSignature(
  { pool, masterKey, clock }: Pick<AuthContext, "pool" | "masterKey" | "clock">,
  request: SignedRequest,
): Promise<VerifiedSignatures | null> {
  const { authentication, signature, message, bodyBytes, isRequirementUnknown, isForFirstSecret } = request;
  const { principal, requiredSignatures } = authentication;
  const signed = { isBodySigned: signature !== undefined, isMessageSigned: message !== null, isUnverified: false };
  const isUnsigned = !signed.isBodySigned && !signed.isMessageSigned;
  if (isUnsigned && requiredSignatures === undefined && !isRequirementUnknown) return null;
  if (principal.role !== "authenticated") return isUnsigned ? null : UNVERIFIED;

  const { userId } = principal;
  const state = await selectSigningState(pool, userId);
  const required = requiredSignatures ?? (isRequirementUnknown ? readRequirements(state) : null);
  const wrapped = state?.secret_wrapped ?? null;
  if (wrapped === null) {
    if (!isForFirstSecret) requireSignatures(required, UNVERIFIED);
    return isUnsigned ? null : UNVERIFIED;
  }
  requireSignatures(required, signed);
  if (isUnsigned) return null;
  const key = openSigningSecret(wrapped, userId, masterKey);
  if (signature !== undefined) checkBodySignature(signature, bodyBytes, key);
  if (message !== null) {
    const use = verifyMessageSignature(message, bodyBytes, { key, keyId: userId, now: clock.now() });
    if (!(await insertNonce(pool, { userId, ...use }))) throw messageSignatureError("REPLAYED");
  }
  return signed;
}

function readRequirements(state: SigningState | null): RequiredSignatures {
  return {
    isBodySignatureRequired: state?.requires_body_signature ?? false,
    isMessageSignatureRequired: state?.requires_message_signature ?? false,
  };
}

function requireSignatures(required: RequiredSignatures | null, given: VerifiedSignatures): void {
  if (required?.isBodySignatureRequired === true && !given.isBodySigned) throw signatureRequiredError();
  if (required?.isMessageSignatureRequired === true && !given.isMessageSigned) throw messageSignatureError("REQUIRED");
}

function checkBodySignature(signature: string, bodyBytes: Buffer, key: Buffer): void {
  const expected = createHmac("sha256", key).update(bodyBytes).digest();
  const given = SIGNATURE.test(signature) ? Buffer.from(signature, "hex") : Buffer.alloc(expected.length);
  if (timingSafeEqual(given, expected)) return;
  throw new AppError("UNAUTHORIZED", "The request signature is wrong", {
    hint: "X-Request-Signature is the hex HMAC-SHA256 of the body's bytes, keyed with your signing secret.",
  });
}
