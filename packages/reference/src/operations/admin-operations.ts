import { listOf, record, TEXT } from "../schemas/schema-parts.ts";
import { USER } from "./example-values.ts";
import { inPath, inQuery, MALFORMED_ID, type OperationTexts, refer } from "./operation-text.ts";

const ACCOUNT = inPath("id", "the user");
const EMAIL = "bob@example.com";
const ACCOUNT_BODY = {
  hidden: ["phone"],
  fields: {
    id: "chosen by you when an account is made; never changed",
    email_confirm: "the address counts as confirmed",
    password_hash: "bcrypt or argon2, of people who move here from elsewhere",
    user_metadata: "merged; null removes a key",
    app_metadata: "merged; null removes a key",
    role: "of the access token; default: `authenticated`",
    ban_duration: "`24h`, `1h30m`; `none` lifts a ban",
  },
} as const;
const CHANGED = { 200: { description: "The user as it is now", schema: refer("User"), example: USER } } as const;

/** Under `/auth/v1`, for the service role alone. */
export const ADMIN_OPERATIONS: OperationTexts = {
  "GET /auth/v1/admin/users": {
    id: "listUsers",
    summary: "All accounts, page by page",
    parameters: [
      inQuery("page", "counted from 1", { type: "integer", minimum: 1, default: 1 }),
      inQuery("per_page", "at most 1000", { type: "integer", minimum: 1, maximum: 1000, default: 50 }),
      inQuery("filter", "a part of the address or the name"),
      inQuery("email", "the whole address"),
      inQuery("sort", "as `created_at desc`"),
    ],
    answers: {
      200: {
        description: "The page",
        schema: record({ users: listOf(refer("User")), aud: TEXT }),
        example: { users: [USER], aud: "authenticated" },
        headers: { "X-Total-Count": "how many there are", Link: "the next and the last page" },
      },
    },
    errors: ["validation_failed", "email_address_invalid"],
    javascript: `const { data } = await admin.auth.admin.listUsers({ page: 1, perPage: 50 });`,
  },
  "POST /auth/v1/admin/users": {
    id: "createUser",
    summary: "Make an account",
    description: "No mail is sent. Without a password it is entered by mail alone.",
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
    summary: "One account",
    parameters: [ACCOUNT],
    answers: { 200: { description: "The user", schema: refer("User"), example: USER } },
    errors: ["validation_failed", MALFORMED_ID, "user_not_found"],
    javascript: `const { data } = await admin.auth.admin.getUserById(id);`,
  },
  "PUT /auth/v1/admin/users/{id}": {
    id: "changeUser",
    summary: "Change an account",
    description: "Holds at once; nothing is confirmed by mail. A new password or a ban ends all sessions.",
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
    summary: "Remove an account",
    description:
      "With everything that belongs to it. A soft deletion keeps the id and what the user owns, and nothing that identifies the user.",
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
  "GET /auth/v1/admin/users/{id}/factors": {
    id: "listFactorsOfUser",
    summary: "The second factors of a user",
    parameters: [ACCOUNT],
    answers: { 200: { description: "The factors", schema: listOf(refer("Factor")), example: [] } },
    errors: ["validation_failed", MALFORMED_ID, "user_not_found"],
    javascript: `const { data } = await admin.auth.admin.mfa.listFactors({ userId });`,
  },
  "DELETE /auth/v1/admin/users/{id}/factors/{factorId}": {
    id: "removeFactorOfUser",
    summary: "Take a second factor away",
    description: "For somebody who has lost the device.",
    parameters: [ACCOUNT, inPath("factorId", "the factor")],
    answers: { 200: { description: "The factor that was", schema: refer("Factor") } },
    errors: ["validation_failed", MALFORMED_ID, "user_not_found", "mfa_factor_not_found"],
    javascript: `await admin.auth.admin.mfa.deleteFactor({ userId, id });`,
  },
  "POST /auth/v1/admin/generate_link": {
    id: "generateLink",
    summary: "What a mail would have brought",
    description:
      "For those who send their mails themselves. A magic link for an address without an account signs it up.",
    parameters: [inQuery("redirect_to", "where the link leads in the end")],
    body: {
      required: ["type", "email"],
      bounds: {
        type: {
          enum: ["signup", "invite", "magiclink", "recovery", "email_change_current", "email_change_new"],
        },
      },
      fields: { password: "needed to sign somebody up", new_email: "needed for a change of address" },
      examples: { "a way back in": { type: "recovery", email: EMAIL } },
    },
    answers: { 200: { description: "The link, the code, and the user", schema: refer("GeneratedLink") } },
    errors: ["validation_failed", "email_address_invalid", "email_exists", "user_not_found", "weak_password"],
    javascript: `const { data } = await admin.auth.admin.generateLink({ type: "recovery", email: "${EMAIL}" });`,
  },
  "POST /auth/v1/invite": {
    id: "inviteUser",
    summary: "Invite somebody by mail",
    parameters: [inQuery("redirect_to", "where the link leads in the end")],
    body: {
      required: ["email"],
      fields: { data: "becomes `user_metadata`" },
      examples: { "an address": { email: EMAIL } },
    },
    answers: CHANGED,
    errors: ["validation_failed", "email_address_invalid", "email_exists", "over_email_send_rate_limit"],
    javascript: `await admin.auth.admin.inviteUserByEmail("${EMAIL}");`,
  },
};
