import { COUNT, listOf, record, TEXT, TIME } from "../schemas/schema-parts.ts";
import { USER } from "./example-values.ts";
import { inPath, inQuery, MALFORMED_ID, type OperationTexts, refer } from "./operation-text.ts";

const ACCOUNT = inPath("id", "the user");
const EMAIL = "bob@example.com";
const ACCOUNT_BODY = {
  hidden: ["phone"],
  fields: {
    id: "you can choose it when you create an account; it never changes",
    email_confirm: "whether the address counts as confirmed",
    password_hash: "a bcrypt or argon2 hash, for accounts of another system",
    user_metadata: "merged; null removes a key",
    app_metadata: "merged; null removes a key",
    role: "the role of the access token; default: `authenticated`",
    ban_duration: "such as `24h` or `1h30m`; `none` ends a ban",
  },
} as const;
const CHANGED = { 200: { description: "The user as it is now", schema: refer("User"), example: USER } } as const;

const CHECK = record({ ok: { type: "boolean" }, message: TEXT, checked_at: TEXT });
const PROVIDER = record({
  name: TEXT,
  label: TEXT,
  kind: { type: "string", enum: ["oidc", "github"] },
  issuer: TEXT,
  client_id: TEXT,
  callback_url: TEXT,
  check: { anyOf: [CHECK, { type: "null" }] },
});

/** Under `/auth/v1`, for the service role alone. */
export const ADMIN_OPERATIONS: OperationTexts = {
  "GET /auth/v1/admin/users": {
    id: "listUsers",
    summary: "List accounts",
    parameters: [
      inQuery("page", "counted from 1", { type: "integer", minimum: 1, default: 1 }),
      inQuery("per_page", "at most 1000", { type: "integer", minimum: 1, maximum: 1000, default: 50 }),
      inQuery("filter", "part of the address or the name"),
      inQuery("email", "the whole address"),
      inQuery("sort", "such as `created_at desc`"),
    ],
    answers: {
      200: {
        description: "The page",
        schema: record({ users: listOf(refer("User")), aud: TEXT }),
        example: { users: [USER], aud: "authenticated" },
        headers: { "X-Total-Count": "the number of accounts", Link: "the next and the last page" },
      },
    },
    errors: ["validation_failed", "email_address_invalid"],
    javascript: `const { data } = await admin.auth.admin.listUsers({ page: 1, perPage: 50 });`,
  },
  "POST /auth/v1/admin/users": {
    id: "createUser",
    summary: "Create an account",
    description: "The service sends no mail. Without a password, the user can sign in only by mail.",
    body: {
      ...ACCOUNT_BODY,
      required: ["email"],
      examples: { "a confirmed one": { email: EMAIL, password: "correct horse", email_confirm: true } },
    },
    answers: CHANGED,
    errors: ["validation_failed", "email_address_invalid", "phone_provider_disabled", "email_exists", "weak_password"],
    javascript: `const { data } = await admin.auth.admin.createUser({ email: "${EMAIL}", email_confirm: true });`,
  },
  "GET /auth/v1/admin/users/{id}": {
    id: "getUserById",
    summary: "Get an account",
    parameters: [ACCOUNT],
    answers: { 200: { description: "The user", schema: refer("User"), example: USER } },
    errors: ["validation_failed", MALFORMED_ID, "user_not_found"],
    javascript: `const { data } = await admin.auth.admin.getUserById(id);`,
  },
  "PUT /auth/v1/admin/users/{id}": {
    id: "changeUser",
    summary: "Change an account",
    description: "Takes effect at once, without confirmation by mail. A new password or a ban ends all sessions.",
    parameters: [ACCOUNT],
    body: { ...ACCOUNT_BODY, examples: { "a ban": { ban_duration: "24h" } } },
    answers: CHANGED,
    errors: [
      "validation_failed",
      MALFORMED_ID,
      "email_address_invalid",
      "phone_provider_disabled",
      "email_exists",
      "weak_password",
      "user_not_found",
    ],
    javascript: `await admin.auth.admin.updateUserById(id, { ban_duration: "24h" });`,
  },
  "DELETE /auth/v1/admin/users/{id}": {
    id: "removeUser",
    summary: "Delete an account",
    description:
      "Deletes the account with everything that it owns. A soft deletion keeps the id and the user's rows, but nothing that identifies the user.",
    parameters: [ACCOUNT],
    body: { isOptional: true, examples: { softly: { should_soft_delete: true } } },
    answers: {
      200: { description: "Removed", schema: { type: "object", additionalProperties: false }, example: {} },
    },
    errors: ["validation_failed", MALFORMED_ID, "user_not_found"],
    javascript: `await admin.auth.admin.deleteUser(id);`,
  },
  "POST /auth/v1/admin/users/{id}/logout": {
    id: "signOutUser",
    summary: "Sign a user out everywhere",
    parameters: [ACCOUNT],
    answers: { 204: { description: "Signed out" } },
    errors: ["validation_failed", MALFORMED_ID, "user_not_found"],
  },
  "GET /auth/v1/admin/hooks": {
    id: "listHooks",
    summary: "List the configured hooks and how they have failed",
    description: "The latest failures on any node, one entry for each reason.",
    answers: {
      200: {
        description: "The hooks",
        schema: record({
          hooks: listOf(
            record({
              name: TEXT,
              kind: { enum: ["sql", "http"] },
              target: TEXT,
              policy: { enum: ["deny", "continue"] },
              timeout_ms: COUNT,
              failures: listOf(record({ at: TIME, reason: TEXT, count: COUNT })),
            }),
          ),
        }),
      },
    },
    errors: [],
  },
  "GET /auth/v1/admin/users/{id}/factors": {
    id: "listFactorsOfUser",
    summary: "List the second factors of a user",
    parameters: [ACCOUNT],
    answers: { 200: { description: "The factors", schema: listOf(refer("Factor")), example: [] } },
    errors: ["validation_failed", MALFORMED_ID, "user_not_found"],
    javascript: `const { data } = await admin.auth.admin.mfa.listFactors({ userId });`,
  },
  "DELETE /auth/v1/admin/users/{id}/factors/{factorId}": {
    id: "removeFactorOfUser",
    summary: "Remove a second factor of a user",
    description: "For users who have lost their device.",
    parameters: [ACCOUNT, inPath("factorId", "the factor")],
    answers: { 200: { description: "The removed factor", schema: refer("Factor") } },
    errors: ["validation_failed", MALFORMED_ID, "user_not_found", "mfa_factor_not_found"],
    javascript: `await admin.auth.admin.mfa.deleteFactor({ userId, id });`,
  },
  "GET /auth/v1/admin/users/{id}/passkeys": {
    id: "listPasskeysOfUser",
    summary: "List the passkeys of a user",
    parameters: [ACCOUNT],
    answers: { 200: { description: "The passkeys", schema: listOf(refer("Passkey")), example: [] } },
    errors: ["validation_failed", MALFORMED_ID, "user_not_found"],
    javascript: `const { data } = await admin.auth.admin.passkey.listPasskeys({ userId });`,
  },
  "DELETE /auth/v1/admin/users/{id}/passkeys/{passkeyId}": {
    id: "removePasskeyOfUser",
    summary: "Remove a passkey of a user",
    parameters: [ACCOUNT, inPath("passkeyId", "the passkey")],
    answers: { 204: { description: "Removed" } },
    errors: ["validation_failed", MALFORMED_ID, "user_not_found", "webauthn_credential_not_found"],
    javascript: `await admin.auth.admin.passkey.deletePasskey({ userId, passkeyId });`,
  },
  "GET /auth/v1/admin/sign-in-providers": {
    id: "listSignInProviders",
    summary: "List the identity providers that people can sign in with",
    description: "`check` is the last one that this node has made, or null.",
    answers: { 200: { description: "The providers", schema: record({ providers: listOf(PROVIDER) }) } },
  },
  "POST /auth/v1/admin/sign-in-providers/{name}/check": {
    id: "checkSignInProvider",
    summary: "Check an identity provider",
    description: "Reads the discovery document and the keys of the issuer.",
    parameters: [inPath("name", "the provider")],
    answers: { 200: { description: "What was found", schema: CHECK } },
    errors: ["not_found"],
  },
  "POST /auth/v1/admin/generate_link": {
    id: "generateLink",
    summary: "Create a link without sending a mail",
    description:
      "For operators who send mails themselves. A magic link for an address without an account creates the account.",
    parameters: [inQuery("redirect_to", "the address to which the link redirects")],
    body: {
      required: ["type", "email"],
      bounds: {
        type: {
          enum: ["signup", "invite", "magiclink", "recovery", "email_change_current", "email_change_new"],
        },
      },
      fields: { password: "required for `signup`", new_email: "required for a change of address" },
      examples: { "a way back in": { type: "recovery", email: EMAIL } },
    },
    answers: { 200: { description: "The link, the code, and the user", schema: refer("GeneratedLink") } },
    errors: [
      "validation_failed",
      "email_address_invalid",
      "email_exists",
      "conflict",
      "user_not_found",
      "weak_password",
    ],
    javascript: `const { data } = await admin.auth.admin.generateLink({ type: "recovery", email: "${EMAIL}" });`,
  },
  "POST /auth/v1/invite": {
    id: "inviteUser",
    summary: "Invite a user by mail",
    parameters: [inQuery("redirect_to", "the address to which the link redirects")],
    body: {
      required: ["email"],
      fields: { data: "becomes `user_metadata`" },
      examples: { "an address": { email: EMAIL } },
    },
    answers: CHANGED,
    errors: ["validation_failed", "email_address_invalid", "email_exists", "conflict", "over_email_send_rate_limit"],
    javascript: `await admin.auth.admin.inviteUserByEmail("${EMAIL}");`,
  },
};
