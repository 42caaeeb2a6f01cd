import { record, TEXT } from "../schemas/schema-parts.ts";
import { SESSION } from "./example-values.ts";
import { inQuery, type OperationText, type OperationTexts, refer } from "./operation-text.ts";

const EMAIL = "ada@example.com";
const REDIRECT = inQuery("redirect_to", "the address to which the link redirects; the operator's list must allow it", {
  type: "string",
  format: "uri",
});
const MAIL_ERRORS = ["validation_failed", "email_address_invalid", "over_email_send_rate_limit"] as const;
const SENT = {
  200: {
    description: "The same response for addresses with and without an account",
    schema: { type: "object", additionalProperties: false },
    example: {},
  },
} as const;

const OTP: Omit<OperationText, "id" | "summary"> = {
  description:
    "Sends a mail with a link and a code of six digits. Creates an account if there is none, unless `create_user` is false.",
  parameters: [REDIRECT],
  body: {
    required: ["email"],
    hidden: ["phone"],
    fields: { data: "becomes `user_metadata` of a new account" },
    examples: { "to an address": { email: EMAIL, create_user: false } },
  },
  answers: SENT,
  errors: [...MAIL_ERRORS, "phone_provider_disabled"],
};

/** Under `/auth/v1`: everything that goes by mail. */
export const MAIL_OPERATIONS: OperationTexts = {
  "POST /auth/v1/otp": {
    ...OTP,
    id: "requestOtp",
    summary: "Request a code for signing in",
    javascript: `await supabase.auth.signInWithOtp({ email: "${EMAIL}" });`,
  },
  "POST /auth/v1/magiclink": { ...OTP, id: "requestMagicLink", summary: "Request a code for signing in (older name)" },
  "POST /auth/v1/recover": {
    id: "requestRecovery",
    summary: "Request a link to reset the password",
    parameters: [REDIRECT],
    body: { required: ["email"], examples: { "to an address": { email: EMAIL } } },
    answers: SENT,
    errors: MAIL_ERRORS,
    javascript: `await supabase.auth.resetPasswordForEmail("${EMAIL}", { redirectTo: "https://app.example.com/reset" });`,
  },
  "POST /auth/v1/resend": {
    id: "resendMail",
    summary: "Send the mail of a pending sign-up or change of address again",
    parameters: [REDIRECT],
    body: {
      required: ["email"],
      hidden: ["phone"],
      bounds: { type: { enum: ["signup", "email_change"] } },
      examples: { "of a sign-up": { type: "signup", email: EMAIL } },
    },
    answers: SENT,
    errors: [...MAIL_ERRORS, "phone_provider_disabled"],
    javascript: `await supabase.auth.resend({ type: "signup", email: "${EMAIL}" });`,
  },
  "GET /auth/v1/reauthenticate": {
    id: "requestReauthentication",
    summary: "Request a nonce that proves who the user is",
    answers: SENT,
    errors: [["validation_failed", 422], "over_email_send_rate_limit", "insufficient_aal"],
    javascript: `await supabase.auth.reauthenticate();`,
  },
  "POST /auth/v1/verify": {
    id: "verifyOtp",
    summary: "Exchange a code, or the token of a link, for a session",
    description:
      "The body has `email` and `token`, or only `token_hash`. A code becomes invalid after five wrong attempts.",
    body: {
      hidden: ["phone"],
      fields: {
        token: "the six digits",
        token_hash: "from `generate_link` or the link in a mail",
        code_verifier: "required with a `token_hash` that starts with `pkce_`",
      },
      examples: {
        "by code": { type: "email", email: EMAIL, token: "123456" },
        "by link": { type: "recovery", token_hash: "b7c1…" },
      },
    },
    answers: {
      200: {
        description:
          "A session. For a change of address that both addresses must confirm: a message that the first one has",
        schema: { anyOf: [refer("Session"), record({ msg: TEXT, code: { type: "string", const: "200" } })] },
        example: SESSION,
      },
    },
    errors: [
      "validation_failed",
      "email_address_invalid",
      "bad_code_verifier",
      "flow_state_not_found",
      "otp_expired",
      "user_banned",
    ],
    javascript: `const { data } = await supabase.auth.verifyOtp({ type: "email", email: "${EMAIL}", token: "123456" });`,
  },
  "GET /auth/v1/verify": {
    id: "followLink",
    summary: "Follow a link in a mail",
    description:
      "For browsers. Redirects to the application, with the session in the fragment or, in a PKCE flow, with a `code` in the query. For a failure, the same part has `error`, `error_code` and `error_description`.",
    parameters: [inQuery("token", "the token of the link"), inQuery("type", "as in POST /auth/v1/verify"), REDIRECT],
    answers: {
      303: {
        description: "A redirect to the application",
        headers: { Location: "the address, with the session, the code or the error" },
      },
    },
  },
};
