import { ANY_OBJECT, COUNT, describe, record, UUID } from "../schemas/schema-parts.ts";
import { ID, SESSION } from "./example-values.ts";
import { inPath, MALFORMED_ID, type OperationTexts, refer } from "./operation-text.ts";

const FACTOR = inPath("id", "the factor");
const RECOVERY_CODES = {
  id: ID.factor,
  type: "recovery_code",
  friendly_name: "Recovery codes",
  total: 10,
  codes: ["k4m9x7qp2ab8ht3z", "9wze6r5npd4cmq7v"],
};

/** Under `/auth/v1`: second factors, and the keys that tokens are signed with. */
export const FACTOR_OPERATIONS: OperationTexts = {
  "POST /auth/v1/factors": {
    id: "enrolFactor",
    summary: "Enrol a second factor",
    description:
      "An authenticator app or a WebAuthn authenticator. The factor takes effect when a code or response of it has been verified. Needs a proof of the owner within a day; for a further factor, the session must be of level `aal2`.",
    body: {
      required: ["factor_type"],
      bounds: { factor_type: { enum: ["totp", "webauthn"] } },
      fields: { issuer: "shown by the authenticator; default: the host of the service" },
      examples: {
        "an app": { factor_type: "totp", friendly_name: "Phone" },
        "a security key": { factor_type: "webauthn", friendly_name: "Key" },
      },
    },
    answers: {
      200: {
        description: "The factor, with the values for an authenticator app",
        schema: refer("EnrolledFactor"),
        example: {
          id: ID.factor,
          type: "totp",
          friendly_name: "Phone",
          totp: { qr_code: "<svg …>", secret: "JBSWY3DPEHPK3PXP", uri: "otpauth://totp/…" },
        },
      },
    },
    errors: [
      "validation_failed",
      "mfa_phone_enroll_not_enabled",
      "mfa_webauthn_enroll_not_enabled",
      "mfa_factor_name_conflict",
      "too_many_enrolled_mfa_factors",
      "reauthentication_needed",
      "insufficient_aal",
    ],
    javascript: `const { data } = await supabase.auth.mfa.enroll({ factorType: "totp", friendlyName: "Phone" });`,
  },
  "POST /auth/v1/factors/{id}/challenge": {
    id: "challengeFactor",
    summary: "Create a challenge for a factor",
    parameters: [FACTOR],
    answers: {
      200: {
        description: "The challenge, which is valid for five minutes",
        schema: record(
          {
            id: UUID,
            type: { type: "string", enum: ["totp", "webauthn"] },
            expires_at: describe(COUNT, "Unix seconds"),
          },
          {
            webauthn: record({
              type: { type: "string", enum: ["create", "request"] },
              credential_options: describe(ANY_OBJECT, "`publicKey`: the options of WebAuthn, as JSON"),
            }),
          },
        ),
        example: { id: ID.challenge, type: "totp", expires_at: 1794744300 },
      },
    },
    errors: ["validation_failed", MALFORMED_ID, "mfa_factor_not_found", "mfa_webauthn_verify_not_enabled"],
    javascript: `const { data: challenge } = await supabase.auth.mfa.challenge({ factorId });`,
  },
  "POST /auth/v1/factors/{id}/verify": {
    id: "verifyFactor",
    summary: "Verify a code or response",
    description: "A valid one raises the session to `aal2`. Each works once. The service limits wrong ones.",
    parameters: [FACTOR],
    body: {
      bounds: { challenge_id: { format: "uuid" } },
      fields: {
        code: "of an authenticator app",
        webauthn: "the response of an authenticator, in place of `code`",
        credential_response: "as JSON; other members are ignored",
      },
      examples: { "a code": { challenge_id: ID.challenge, code: "123456" } },
    },
    answers: { 200: { description: "The raised session", schema: refer("Session"), example: SESSION } },
    errors: [
      "validation_failed",
      MALFORMED_ID,
      "mfa_factor_not_found",
      "mfa_challenge_expired",
      "mfa_ip_address_mismatch",
      "mfa_verification_failed",
      "mfa_webauthn_verify_not_enabled",
      "webauthn_credential_exists",
      "reauthentication_needed",
      "over_request_rate_limit",
    ],
    javascript: `await supabase.auth.mfa.verify({ factorId, challengeId: challenge.id, code: "123456" });`,
  },
  "DELETE /auth/v1/factors/{id}": {
    id: "unenrolFactor",
    summary: "Remove a factor",
    description:
      "To remove a verified factor, the session must be of level `aal2` and have a proof of the owner within a day.",
    parameters: [FACTOR],
    answers: {
      200: { description: "Its id", schema: record({ id: UUID }), example: { id: ID.factor } },
    },
    errors: ["validation_failed", MALFORMED_ID, "mfa_factor_not_found", "reauthentication_needed", "insufficient_aal"],
    javascript: `await supabase.auth.mfa.unenroll({ factorId });`,
  },
  "GET /auth/v1/factors/recovery-codes": {
    id: "getRecoveryCodes",
    summary: "Count the remaining recovery codes",
    answers: {
      200: {
        description: "The numbers of codes, not the codes",
        schema: record({ id: UUID, type: { type: "string", const: "recovery_code" }, total: COUNT, remaining: COUNT }),
        example: { id: ID.factor, type: "recovery_code", total: 10, remaining: 9 },
      },
    },
    errors: ["mfa_factor_not_found", "insufficient_aal"],
    javascript: "const { data } = await supabase.auth.mfa.recoveryCodes.getStatus();",
  },
  "POST /auth/v1/factors/recovery-codes": {
    id: "generateRecoveryCodes",
    summary: "Create recovery codes",
    description: "Requires another verified factor and a session of level `aal2`. Each code works once.",
    body: {
      examples: { "ten codes": { friendly_name: "Recovery codes" } },
      isOptional: true,
    },
    answers: { 200: { description: "The codes", schema: refer("RecoveryCodes"), example: RECOVERY_CODES } },
    errors: [
      "validation_failed",
      "mfa_factor_name_conflict",
      "mfa_recovery_codes_sole_factor",
      "mfa_verified_factor_exists",
      "reauthentication_needed",
      "insufficient_aal",
    ],
    javascript: "const { data } = await supabase.auth.mfa.recoveryCodes.generate();",
  },
  "POST /auth/v1/factors/recovery-codes/regenerate": {
    id: "regenerateRecoveryCodes",
    summary: "Replace the recovery codes",
    description: "Earlier codes become invalid. Requires a session of level `aal2`.",
    answers: { 200: { description: "The new codes", schema: refer("RecoveryCodes"), example: RECOVERY_CODES } },
    errors: ["mfa_factor_not_found", "reauthentication_needed", "insufficient_aal"],
    javascript: "const { data } = await supabase.auth.mfa.recoveryCodes.regenerate();",
  },
  "POST /auth/v1/factors/recovery-codes/verify": {
    id: "verifyRecoveryCode",
    summary: "Verify a recovery code",
    description:
      "An unused code raises the session to `aal2`. Case, spaces and hyphens are ignored. Ten wrong codes lock the codes for five minutes.",
    body: { required: ["code"], examples: { "a code": { code: "k4m9-x7qp-2ab8-ht3z" } } },
    answers: { 200: { description: "The raised session", schema: refer("Session"), example: SESSION } },
    errors: ["validation_failed", "mfa_factor_not_found", "mfa_verification_failed", "mfa_recovery_codes_locked"],
    javascript: `await supabase.auth.mfa.recoveryCodes.verify({ code: "k4m9-x7qp-2ab8-ht3z" });`,
  },
  "DELETE /auth/v1/factors/recovery-codes": {
    id: "removeRecoveryCodes",
    summary: "Remove the recovery codes",
    description: "Requires a session of level `aal2`.",
    answers: { 200: { description: "The id of the factor", schema: record({ id: UUID }), example: { id: ID.factor } } },
    errors: ["mfa_factor_not_found", "reauthentication_needed", "insufficient_aal"],
    javascript: "await supabase.auth.mfa.recoveryCodes.unenroll();",
  },
  "GET /auth/v1/.well-known/jwks.json": {
    id: "getKeySet",
    summary: "Get the public keys of access tokens",
    description:
      "For servers that verify tokens themselves. Cache the keys for up to ten minutes, and request them again for an unknown `kid`.",
    answers: {
      200: {
        description: "A JSON Web Key Set",
        schema: refer("KeySet"),
        example: { keys: [{ kty: "EC", crv: "P-256", alg: "ES256", use: "sig", kid: "4f…", x: "…", y: "…" }] },
        headers: { "Cache-Control": "how long the response may be cached" },
      },
    },
  },
  "GET /.well-known/oauth-protected-resource": {
    id: "getProtectedResource",
    summary: "Get where programs obtain access tokens for the API",
    description:
      "The metadata of RFC 9728. The resources `/mcp` and `/a2a` have their own at the same address with their path after it. Challenges name it in `resource_metadata`.",
    answers: {
      200: {
        description: "The metadata of the resource",
        schema: { type: "object", additionalProperties: true },
        headers: { "Cache-Control": "how long the response may be cached" },
      },
    },
  },
  "GET /auth/v1/.well-known/openid-configuration": {
    id: "getIssuer",
    summary: "Get the OpenID configuration of the issuer",
    answers: {
      200: {
        description: "The document of OpenID Connect Discovery",
        schema: { type: "object", additionalProperties: true },
        headers: { "Cache-Control": "how long the response may be cached" },
      },
    },
  },
};
