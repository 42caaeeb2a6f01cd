import { listOf, record, TEXT } from "../schemas/schema-parts.ts";
import { AT, ID, SESSION, USER } from "./example-values.ts";
import { inPath, inQuery, type OperationTexts, refer } from "./operation-text.ts";

const EMAIL = "ada@example.com";
const PASSWORD = "correct horse battery";
const PROFILE = { full_name: "Ada" };

/** Under `/auth/v1`: what people do with their own account. */
export const ACCOUNT_OPERATIONS: OperationTexts = {
  "POST /auth/v1/signup": {
    id: "signUp",
    summary: "Sign up",
    description:
      "Makes an account. With autoconfirm on (the default without a mail server) the answer is a session, otherwise the user alone and a mail with a link. Then an address that has an account already gets the same answer. Without `email` and `password` an anonymous user is made, where the operator allows it.",
    body: {
      hidden: ["phone"],
      fields: { data: "becomes `user_metadata`", password: "6 to 1024 characters, unless the operator asks for more" },
      examples: { "with e-mail and password": { email: EMAIL, password: PASSWORD, data: PROFILE } },
    },
    answers: {
      200: {
        description: "A session, or the user whose address is to be confirmed",
        schema: { anyOf: [refer("Session"), refer("User")] },
        example: SESSION,
      },
    },
    errors: [
      "validation_failed",
      "email_address_invalid",
      "phone_provider_disabled",
      "signup_disabled",
      "anonymous_provider_disabled",
      "user_already_exists",
      "weak_password",
      "over_email_send_rate_limit",
    ],
    javascript: `const { data, error } = await supabase.auth.signUp({
  email: "${EMAIL}", password: "${PASSWORD}", options: { data: { full_name: "Ada" } },
});`,
  },
  "POST /auth/v1/token": {
    id: "grantToken",
    summary: "Sign in, or refresh a session",
    description:
      "With `grant_type=password` it counts as an auth attempt. With `refresh_token` it counts as an API request of its session: the one token before the current one gets the current one again, an older one ends the session. `pkce` ends a flow that a link of a mail began.",
    parameters: [
      {
        ...inQuery("grant_type", "the kind of credentials in the body", {
          type: "string",
          enum: ["password", "refresh_token", "pkce"],
        }),
        required: true,
      },
    ],
    body: {
      forms: ["Password", "Refresh token", "Code of a PKCE flow"],
      hidden: ["phone"],
      required: ["email", "password", "refresh_token", "auth_code", "code_verifier"],
      examples: {
        password: { email: EMAIL, password: PASSWORD },
        refresh_token: { refresh_token: SESSION.refresh_token },
        pkce: { auth_code: "7f0c…", code_verifier: "b1d2…" },
      },
    },
    answers: { 200: { description: "A session", schema: refer("Session"), example: SESSION } },
    errors: [
      "invalid_credentials",
      "email_not_confirmed",
      "user_banned",
      ["user_banned", 400],
      "validation_failed",
      "phone_provider_disabled",
      "refresh_token_not_found",
      "refresh_token_already_used",
      "session_expired",
      "flow_state_not_found",
      "flow_state_expired",
      "bad_code_verifier",
      "oauth_provider_not_supported",
      "manual_linking_disabled",
      "web3_provider_disabled",
    ],
    javascript: `const { data, error } = await supabase.auth.signInWithPassword({
  email: "${EMAIL}", password: "${PASSWORD}",
});`,
  },
  "POST /auth/v1/logout": {
    id: "signOut",
    summary: "Sign out",
    description:
      "Takes effect at once, on every node: access tokens of the sessions that end are rejected from then on.",
    parameters: [
      inQuery("scope", "which sessions of the user end", {
        type: "string",
        enum: ["global", "local", "others"],
        default: "global",
      }),
    ],
    answers: { 204: { description: "Signed out" } },
    errors: ["validation_failed"],
    javascript: `await supabase.auth.signOut({ scope: "local" });`,
  },
  "GET /auth/v1/sessions": {
    id: "listSessions",
    summary: "Where the user is signed in",
    description:
      "The latest first, at most 200. `last_seen_at` is the last time that a token was asked for, not the last request.",
    answers: {
      200: {
        description: "The sessions that live",
        schema: record({ sessions: listOf(refer("SignedInDevice")) }),
        example: {
          sessions: [
            {
              id: ID.session,
              created_at: AT,
              last_seen_at: AT,
              user_agent: "Mozilla/5.0 …",
              ip: "192.0.2.7",
              aal: "aal1",
              is_current: true,
            },
          ],
        },
      },
    },
  },
  "DELETE /auth/v1/sessions/{id}": {
    id: "endSession",
    summary: "Sign out one device",
    description: "Takes effect at once, on every node.",
    parameters: [inPath("id", "the session")],
    answers: { 204: { description: "Signed out" } },
    errors: [
      ["validation_failed", 404],
      ["session_not_found", 404],
    ],
  },
  "GET /auth/v1/user": {
    id: "getUser",
    summary: "The user of the access token",
    description: "How a server finds out who sent it a token.",
    answers: { 200: { description: "The user", schema: refer("User"), example: USER } },
    javascript: `const { data: { user } } = await supabase.auth.getUser();`,
  },
  "PUT /auth/v1/user": {
    id: "updateUser",
    summary: "Change the own account",
    description:
      "All of it happens, or none. A new address is confirmed by mail before it counts. A new password ends all other sessions. With a second factor, both need a session that has shown it.",
    body: {
      hidden: ["phone"],
      fields: {
        data: "merged into `user_metadata`; null removes a key",
        current_password: "checked when it is sent",
        nonce: "from GET /auth/v1/reauthenticate, where the operator asks for it",
      },
      examples: { "change a name": { data: { full_name: "Ada L." } } },
    },
    answers: { 200: { description: "The user as it is now", schema: refer("User"), example: USER } },
    errors: [
      "validation_failed",
      ["validation_failed", 422],
      "email_address_invalid",
      "phone_provider_disabled",
      "same_password",
      "weak_password",
      "current_password_invalid",
      "reauthentication_needed",
      "reauthentication_not_valid",
      "insufficient_aal",
      "not_admin",
      "over_email_send_rate_limit",
    ],
    javascript: `await supabase.auth.updateUser({ data: { full_name: "Ada L." } });`,
  },
  "GET /auth/v1/settings": {
    id: "getAuthSettings",
    summary: "What a sign-in form needs to know",
    answers: { 200: { description: "The settings", schema: refer("AuthSettings") } },
  },
  "GET /auth/v1/health": {
    id: "getAuthHealth",
    summary: "That accounts are served here",
    answers: {
      200: {
        description: "Name and version of the protocol",
        schema: record({ name: TEXT, version: TEXT, description: TEXT }),
        example: { name: "Swarmbase Auth", version: "v1", description: "Accounts, sessions and tokens of Swarmbase" },
      },
    },
  },
};
