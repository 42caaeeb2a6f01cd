import { listOf, record, TEXT } from "../schemas/schema-parts.ts";
import { AT, ID, SESSION, USER } from "./example-values.ts";
import { inPath, inQuery, MALFORMED_ID, type OperationTexts, refer } from "./operation-text.ts";

const EMAIL = "ada@example.com";
const PASSWORD = "correct horse battery";
const PROFILE = { full_name: "Ada" };

const CALLBACK = {
  summary: "Come back from an identity provider",
  description: "For browsers, which providers send here. Redirects to the app as `GET /auth/v1/authorize` says.",
  answers: { 303: { description: "A redirect to the app", headers: { Location: "the address" } } },
} as const;

/** Under `/auth/v1`: what people do with their own account. */
export const ACCOUNT_OPERATIONS: OperationTexts = {
  "POST /auth/v1/signup": {
    id: "signUp",
    summary: "Sign up",
    description:
      "Creates an account. With autoconfirm (the default without a mail server) the response is a session. Otherwise it is the user without a session, the service sends a mail with a link, and an address that already has an account gets the same response. Without `email` and `password` the service creates an anonymous user, if the operator allows it.",
    body: {
      hidden: ["phone"],
      fields: { data: "becomes `user_metadata`", password: "6 to 1024 characters, unless the operator requires more" },
      examples: { "with e-mail and password": { email: EMAIL, password: PASSWORD, data: PROFILE } },
    },
    answers: {
      200: {
        description: "A session, or the user whose address must be confirmed",
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
      "With `grant_type=password` the call counts as an auth attempt. With `refresh_token` it counts as an API request of its session: the token before the current one returns the current one again, an older one ends the session. `pkce` completes a flow that a link in a mail or an identity provider started; its session can have `provider_token` and `provider_refresh_token`. `id_token` takes the ID token that a library of a provider gave to the app, with the nonce whose SHA-256 the token has; with `link_identity` it adds the identity to the account of the bearer.",
    parameters: [
      {
        ...inQuery("grant_type", "the kind of credentials in the body", {
          type: "string",
          enum: ["password", "refresh_token", "pkce", "id_token"],
        }),
        required: true,
      },
    ],
    body: {
      forms: ["Password", "Refresh token", "Code of a PKCE flow", "ID token"],
      hidden: ["phone"],
      required: ["email", "password", "refresh_token", "auth_code", "code_verifier", "provider", "id_token"],
      examples: {
        password: { email: EMAIL, password: PASSWORD },
        refresh_token: { refresh_token: SESSION.refresh_token },
        pkce: { auth_code: "7f0c…", code_verifier: "b1d2…" },
        id_token: { provider: "google", id_token: "eyJ…", nonce: "9c1e…" },
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
      "bad_jwt",
      "unexpected_audience",
      "bad_oauth_callback",
      "signup_disabled",
      "identity_already_exists",
      "email_exists",
      "conflict",
      "insufficient_aal",
      "reauthentication_needed",
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
      "Takes effect at once, on every node: the service rejects access tokens of the ended sessions. Before the second factor of a user who has one, only the session itself ends, and the scope `others` is an error.",
    parameters: [
      inQuery("scope", "which sessions of the user end", {
        type: "string",
        enum: ["global", "local", "others"],
        default: "global",
      }),
    ],
    answers: { 204: { description: "Signed out" } },
    errors: ["validation_failed", ["insufficient_aal", 403]],
    javascript: `await supabase.auth.signOut({ scope: "local" });`,
  },
  "GET /auth/v1/sessions": {
    id: "listSessions",
    summary: "List the sessions of the user",
    description:
      "Returns the latest first, at most 200. `last_seen_at` is the time of the last sign-in or refresh, not of the last request.",
    answers: {
      200: {
        description: "The active sessions",
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
    errors: ["insufficient_aal"],
  },
  "DELETE /auth/v1/sessions/{id}": {
    id: "endSession",
    summary: "Sign out one device",
    description: "Takes effect at once, on every node.",
    parameters: [inPath("id", "the session")],
    answers: { 204: { description: "Signed out" } },
    errors: [["validation_failed", 404], ["session_not_found", 404], "insufficient_aal"],
  },
  "GET /auth/v1/user": {
    id: "getUser",
    summary: "Get the user of the access token",
    description: "A server can use this call to identify the user of a token.",
    answers: { 200: { description: "The user", schema: refer("User"), example: USER } },
    javascript: `const { data: { user } } = await supabase.auth.getUser();`,
  },
  "DELETE /auth/v1/user": {
    id: "deleteUser",
    summary: "Delete your account",
    description:
      "Deletes the account and all that it owns, as a hard delete by an administrator does. Messages in swarms of others stay, under the name of the user. The session must have proved within ten minutes that its holder is the owner. A user with a second factor needs a session of level `aal2`.",
    answers: { 204: { description: "Deleted" } },
    errors: [["reauthentication_needed", 403], "insufficient_aal"],
  },
  "PUT /auth/v1/user": {
    id: "updateUser",
    summary: "Change your account",
    description:
      "All changes take effect, or none. A new address must be confirmed by mail before it takes effect. A new password ends all other sessions. A new password, and an address that the current one does not confirm, need a proof of the owner within a day. `current_password` and `nonce` are such proofs, also alone. For a user with a second factor, the session must be of level `aal2`.",
    body: {
      hidden: ["phone"],
      fields: {
        data: "merged into `user_metadata`; null removes a key",
        current_password: "checked when it is sent; proves that the owner of the account holds the session",
        nonce: "from GET /auth/v1/reauthenticate; proves the same",
      },
      examples: { "change a name": { data: { full_name: "Ada L." } } },
    },
    answers: { 200: { description: "The changed user", schema: refer("User"), example: USER } },
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
  "GET /auth/v1/authorize": {
    id: "signInWithProvider",
    summary: "Sign in with an identity provider",
    description:
      "For browsers. Redirects to the provider, which sends the browser back to `/auth/v1/callback`, and this to `redirect_to`: with the session in the fragment or, with a code challenge, with a `code` in the query. For a failure, both have `error`, `error_code` and `error_description`. Other parameters that providers know, such as `prompt` and `login_hint`, are passed on.",
    parameters: [
      { ...inQuery("provider", "the name of a configured provider"), required: true },
      inQuery("redirect_to", "where the browser goes in the end; `SITE_URL` unless it is allowed"),
      inQuery("scopes", "further scopes, separated by spaces"),
      inQuery("code_challenge", "of PKCE"),
      inQuery("code_challenge_method", "of PKCE", { type: "string", enum: ["s256", "plain"] }),
    ],
    answers: { 303: { description: "A redirect to the provider", headers: { Location: "the address" } } },
    errors: ["oauth_provider_not_supported", "validation_failed"],
    javascript: `const { data, error } = await supabase.auth.signInWithOAuth({ provider: "google" });`,
  },
  "GET /auth/v1/callback": { ...CALLBACK, id: "finishSignIn" },
  "POST /auth/v1/callback": { ...CALLBACK, id: "finishPostedSignIn" },
  "GET /auth/v1/user/identities/authorize": {
    id: "linkIdentity",
    summary: "Link an identity to the account",
    description:
      "Takes the parameters of `GET /auth/v1/authorize`. The browser has to follow the returned address within ten minutes. Needs a proof within 24 hours. With a code challenge, the identity is linked when the code is exchanged.",
    parameters: [
      { ...inQuery("provider", "the name of a configured provider"), required: true },
      inQuery("skip_http_redirect", "`true`: the address is in the body"),
    ],
    answers: {
      200: {
        description: "The address that the browser follows",
        schema: record({ url: TEXT }),
        example: { url: "https://…" },
      },
      303: { description: "A redirect to that address", headers: { Location: "the address" } },
    },
    errors: ["oauth_provider_not_supported", "validation_failed", "insufficient_aal", "reauthentication_needed"],
    javascript: `const { data, error } = await supabase.auth.linkIdentity({ provider: "google" });`,
  },
  "DELETE /auth/v1/user/identities/{id}": {
    id: "unlinkIdentity",
    summary: "Unlink an identity",
    description: "Unlinking the identity `email` removes the password. Needs a proof within 24 hours.",
    parameters: [inPath("id", "`identity_id` of the identity")],
    answers: { 200: { description: "Unlinked", schema: record({}), example: {} } },
    errors: [
      "validation_failed",
      MALFORMED_ID,
      "identity_not_found",
      "single_identity_not_deletable",
      "insufficient_aal",
      "reauthentication_needed",
    ],
    javascript: `await supabase.auth.unlinkIdentity(identity);`,
  },
  "GET /auth/v1/settings": {
    id: "getAuthSettings",
    summary: "Get the settings that a sign-in form needs",
    answers: { 200: { description: "The settings", schema: refer("AuthSettings") } },
  },
  "GET /auth/v1/health": {
    id: "getAuthHealth",
    summary: "Check that the service serves accounts",
    answers: {
      200: {
        description: "Name and version of the protocol",
        schema: record({ name: TEXT, version: TEXT, description: TEXT }),
        example: { name: "Swarmbase Auth", version: "v1", description: "Accounts, sessions and tokens of Swarmbase" },
      },
    },
  },
};
