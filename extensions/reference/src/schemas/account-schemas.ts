import type { Schema } from "../openapi/document.ts";
import { ANY_OBJECT, COUNT, describe, listOf, record, TEXT, TEXT_OR_NULL, TIME, TRUTH, UUID } from "./schema-parts.ts";

const METADATA = describe(ANY_OBJECT, "any JSON");

const USER_MEMBERS = {
  id: UUID,
  aud: TEXT,
  role: TEXT,
  email: describe(TEXT, "empty for an anonymous user"),
  phone: describe(TEXT, "always empty"),
  app_metadata: describe(ANY_OBJECT, "only the operator can change it"),
  user_metadata: describe(ANY_OBJECT, "the user can change it"),
  identities: listOf({ $ref: "#/components/schemas/Identity" }),
  created_at: TIME,
  updated_at: TIME,
  is_anonymous: TRUTH,
};

/** Left out where it never happened. */
const USER_TIMES = {
  email_confirmed_at: TIME,
  confirmed_at: TIME,
  invited_at: TIME,
  confirmation_sent_at: TIME,
  recovery_sent_at: TIME,
  email_change_sent_at: TIME,
  reauthentication_sent_at: TIME,
  last_sign_in_at: TIME,
  banned_until: TIME,
  deleted_at: TIME,
};

const USER_OPTIONAL = {
  ...USER_TIMES,
  new_email: describe(TEXT, "an address that is not confirmed yet"),
  factors: listOf({ $ref: "#/components/schemas/Factor" }),
};

export const ACCOUNT_SCHEMAS: Readonly<Record<string, Schema>> = {
  User: record(USER_MEMBERS, USER_OPTIONAL),
  Identity: record(
    {
      identity_id: UUID,
      id: TEXT,
      user_id: UUID,
      identity_data: METADATA,
      provider: { type: "string", const: "email" },
      created_at: TIME,
      updated_at: TIME,
    },
    { last_sign_in_at: TIME, email: TEXT },
  ),
  Factor: record(
    {
      id: UUID,
      created_at: TIME,
      updated_at: TIME,
      status: { type: "string", enum: ["unverified", "verified"] },
      factor_type: { type: "string", enum: ["totp", "webauthn", "recovery_code"] },
    },
    { friendly_name: TEXT, last_challenged_at: TIME },
  ),
  SignedInDevice: record({
    id: UUID,
    created_at: TIME,
    last_seen_at: TIME,
    user_agent: TEXT_OR_NULL,
    ip: TEXT_OR_NULL,
    aal: { type: "string", enum: ["aal1", "aal2"] },
    is_current: describe(TRUTH, "whether it is the session of this request"),
  }),
  Session: record(
    {
      access_token: describe(TEXT, "a JWT, sent as the bearer token"),
      token_type: { type: "string", const: "bearer" },
      expires_in: describe(COUNT, "seconds"),
      expires_at: describe(COUNT, "Unix seconds"),
      refresh_token: describe(TEXT, "valid for one refresh, whose response has the next one"),
      user: { $ref: "#/components/schemas/User" },
    },
    {
      weak_password: record({
        reasons: listOf({ type: "string", enum: ["length", "characters"] }),
        message: TEXT,
      }),
    },
  ),
  EnrolledFactor: record(
    { id: UUID, type: { type: "string", enum: ["totp", "webauthn"] }, friendly_name: TEXT },
    {
      totp: record({
        qr_code: describe(TEXT, "SVG markup"),
        secret: describe(TEXT, "base32, for manual input"),
        uri: describe(TEXT, "`otpauth:`"),
      }),
    },
  ),
  Passkey: record({ id: UUID, created_at: TIME }, { friendly_name: TEXT, last_used_at: TIME }),
  RecoveryCodes: record({
    id: UUID,
    type: { type: "string", const: "recovery_code" },
    friendly_name: TEXT,
    total: COUNT,
    codes: describe(listOf(TEXT), "not shown again"),
  }),
  GeneratedLink: record(
    {
      ...USER_MEMBERS,
      action_link: describe(TEXT, "the address of the link"),
      email_otp: describe(TEXT, "six digits"),
      hashed_token: describe(TEXT, "for `token_hash` of POST /auth/v1/verify"),
      verification_type: TEXT,
      redirect_to: TEXT,
    },
    USER_OPTIONAL,
  ),
  AuthSettings: record({
    external: {
      type: "object",
      additionalProperties: TRUTH,
      description: "methods to sign in, with the configured identity providers",
    },
    sign_in_providers: listOf(record({ name: TEXT, label: TEXT })),
    disable_signup: TRUTH,
    mailer_autoconfirm: describe(TRUTH, "whether a sign-up gets a session without confirming the address"),
    phone_autoconfirm: TRUTH,
    sms_provider: TEXT,
    saml_enabled: TRUTH,
    passkeys_enabled: TRUTH,
  }),
  KeySet: record({ keys: listOf(describe(ANY_OBJECT, "a public key as JWK (RFC 7517)")) }),
};
