import { COUNT, describe, record, UUID } from "../schemas/schema-parts.ts";
import { ID, SESSION } from "./example-values.ts";
import { inPath, type OperationTexts, refer } from "./operation-text.ts";

const FACTOR = inPath("id", "the factor");

/** Under `/auth/v1`: second factors, and the keys that tokens are signed with. */
export const FACTOR_OPERATIONS: OperationTexts = {
  "POST /auth/v1/factors": {
    id: "enrolFactor",
    summary: "Begin to enrol an authenticator app",
    description:
      "The factor counts once a code of it has been shown. A further one needs a session that has shown one.",
    body: {
      required: ["factor_type"],
      bounds: { factor_type: { const: "totp" } },
      fields: { issuer: "shown by the authenticator; default: the host of the service" },
      examples: { "an app": { factor_type: "totp", friendly_name: "Phone" } },
    },
    answers: {
      200: {
        description: "What the authenticator needs",
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
      "insufficient_aal",
    ],
    javascript: `const { data } = await supabase.auth.mfa.enroll({ factorType: "totp", friendlyName: "Phone" });`,
  },
  "POST /auth/v1/factors/{id}/challenge": {
    id: "challengeFactor",
    summary: "Open a time in which a code may be shown",
    parameters: [FACTOR],
    answers: {
      200: {
        description: "The challenge, good for five minutes",
        schema: record({
          id: UUID,
          type: { type: "string", const: "totp" },
          expires_at: describe(COUNT, "Unix seconds"),
        }),
        example: { id: ID.challenge, type: "totp", expires_at: 1794744300 },
      },
    },
    errors: ["validation_failed", "mfa_factor_not_found"],
    javascript: `const { data: challenge } = await supabase.auth.mfa.challenge({ factorId });`,
  },
  "POST /auth/v1/factors/{id}/verify": {
    id: "verifyFactor",
    summary: "Show a code",
    description: "A right code raises the session to `aal2`; each code is good once. Wrong ones are counted.",
    parameters: [FACTOR],
    body: {
      required: ["code"],
      bounds: { challenge_id: { format: "uuid" } },
      examples: { "a code": { challenge_id: ID.challenge, code: "123456" } },
    },
    answers: { 200: { description: "The raised session", schema: refer("Session"), example: SESSION } },
    errors: [
      "validation_failed",
      "mfa_factor_not_found",
      "mfa_challenge_expired",
      "mfa_ip_address_mismatch",
      "mfa_verification_failed",
      "over_request_rate_limit",
    ],
    javascript: `await supabase.auth.mfa.verify({ factorId, challengeId: challenge.id, code: "123456" });`,
  },
  "DELETE /auth/v1/factors/{id}": {
    id: "unenrolFactor",
    summary: "Give a factor up",
    description: "One that counts needs a session that has shown it.",
    parameters: [FACTOR],
    answers: {
      200: { description: "Its id", schema: record({ id: UUID }), example: { id: ID.factor } },
    },
    errors: ["validation_failed", "mfa_factor_not_found", "insufficient_aal"],
    javascript: `await supabase.auth.mfa.unenroll({ factorId });`,
  },
  "GET /auth/v1/.well-known/jwks.json": {
    id: "getKeySet",
    summary: "The public keys of access tokens",
    description:
      "For servers that verify tokens by themselves. May be kept for ten minutes; a new `kid` means: ask again.",
    answers: {
      200: {
        description: "A JSON Web Key Set",
        schema: refer("KeySet"),
        example: { keys: [{ kty: "EC", crv: "P-256", alg: "ES256", use: "sig", kid: "4f…", x: "…", y: "…" }] },
        headers: { "Cache-Control": "how long it may be kept" },
      },
    },
  },
  "GET /auth/v1/.well-known/openid-configuration": {
    id: "getIssuer",
    summary: "What the issuer of tokens offers",
    answers: {
      200: {
        description: "As OpenID Connect Discovery names it",
        schema: { type: "object", additionalProperties: true },
        headers: { "Cache-Control": "how long it may be kept" },
      },
    },
  },
};
