import {
  ANY_OBJECT,
  COUNT,
  listOf,
  record,
  TEXT,
  TEXT_OR_NULL,
  TIME,
  TIME_OR_NULL,
  TRUTH,
  UUID,
} from "../schemas/schema-parts.ts";
import { AT, ID } from "./example-values.ts";
import { inPath, inQuery, MALFORMED_ID, type OperationText, type OperationTexts } from "./operation-text.ts";

const IN_PATH = inPath("id", "the request, from the parameter `authorization_id` of the page");
const REDIRECT = record({ redirect_url: TEXT });
const REDIRECT_EXAMPLE = {
  redirect_url: "https://program.example.com/callback?code=Zk3…&state=x1&iss=https%3A%2F%2Fapi.example.com%2Fauth%2Fv1",
};
const CLIENT = { id: ID.challenge, name: "Program", uri: "https://program.example.com/", logo_uri: "" };
const CLIENT_FIELDS = { id: TEXT, name: TEXT, uri: TEXT, logo_uri: TEXT } as const;
const OBJECT_OR_NULL = { type: ["object", "null"], additionalProperties: true } as const;
/** In the form of RFC 6749. */
const FAULT = record({ error: TEXT, error_description: TEXT });
const REFUSED = { 400: { description: "Why the request was refused", schema: FAULT } };
const REFUSED_CLIENT = { ...REFUSED, 401: { description: "The client could not be authenticated", schema: FAULT } };
const METADATA: Pick<OperationText, "answers"> = {
  answers: {
    200: {
      description: "The metadata of the issuer",
      schema: ANY_OBJECT,
      headers: { "Cache-Control": "how long the response may be cached" },
    },
  },
};
const CLAIMS: Pick<OperationText, "answers" | "errors"> = {
  answers: {
    200: {
      description: "`sub`; by scope also `email`, `email_verified`, `name`, `picture`",
      schema: ANY_OBJECT,
      example: { sub: ID.user, email: "ada@example.com", email_verified: true },
    },
  },
  errors: ["no_authorization", "bad_jwt", "INSUFFICIENT_SCOPE"],
};

/** Under `/auth/v1/oauth`, and what programs find out first. */
export const PROGRAM_OPERATIONS: OperationTexts = {
  "GET /auth/v1/oauth/authorize": {
    id: "beginAuthorization",
    summary: "Ask a person to let a program in",
    description:
      "The address to which a program sends the browser. Errors go to `redirect_uri` with `error`, `state` and `iss`; if the client or the address is unknown, the answer is 400.",
    parameters: [
      { ...inQuery("client_id", "the id of the client"), required: true },
      { ...inQuery("redirect_uri", "one that the client has registered"), required: true },
      { ...inQuery("response_type", "`code`"), required: true },
      { ...inQuery("code_challenge", "of PKCE"), required: true },
      { ...inQuery("code_challenge_method", "`S256`"), required: true },
      inQuery("scope", "names, separated by spaces"),
      inQuery("resource", "the address that the tokens are for; absent: the API"),
      inQuery("state", "returned as it is"),
      inQuery("nonce", "of the ID token"),
      inQuery("prompt", "`consent` or `login`; `none` is always an error"),
      inQuery("max_age", "seconds since the sign-in of the person"),
    ],
    answers: {
      303: { description: "To the page that asks the person, or back to the program with an error" },
      ...REFUSED,
    },
  },
  "GET /auth/v1/oauth/authorizations/{id}": {
    id: "getAuthorization",
    summary: "Get what a program asks for",
    description:
      "The request then belongs to the caller. While an earlier consent covers it, the answer is `redirect_url` alone.",
    parameters: [IN_PATH],
    answers: {
      200: {
        description: "The request",
        schema: {
          oneOf: [
            record({
              authorization_id: UUID,
              redirect_uri: TEXT,
              client: record({ ...CLIENT_FIELDS, host: TEXT_OR_NULL, registration: TEXT }),
              user: record({ id: UUID, email: TEXT }),
              scope: TEXT,
              scopes: listOf(TEXT),
              resource: TEXT,
              is_loopback_redirect: TRUTH,
              previous: OBJECT_OR_NULL,
              expires_at: TIME,
            }),
            REDIRECT,
          ],
        },
        example: {
          authorization_id: ID.factor,
          redirect_uri: "https://program.example.com/callback",
          client: { ...CLIENT, host: "program.example.com", registration: "dynamic" },
          user: { id: ID.user, email: "ada@example.com" },
          scope: "read run",
          scopes: ["read", "run"],
          resource: "https://api.example.com",
          is_loopback_redirect: false,
          previous: null,
          expires_at: AT,
        },
      },
    },
    errors: [MALFORMED_ID, "oauth_authorization_not_found", "insufficient_aal"],
    javascript: "const { data } = await supabase.auth.oauth.getAuthorizationDetails(authorizationId);",
  },
  "POST /auth/v1/oauth/authorizations/{id}/consent": {
    id: "answerAuthorization",
    summary: "Let a program in, or refuse",
    description: "Works once. Letting a program in needs a sign-in within a day.",
    parameters: [IN_PATH],
    body: {
      examples: {
        "let in, for less than it asks": { action: "approve", scopes: ["read"] },
        refuse: { action: "deny" },
      },
    },
    answers: { 200: { description: "Where the browser goes on", schema: REDIRECT, example: REDIRECT_EXAMPLE } },
    errors: [
      "validation_failed",
      MALFORMED_ID,
      "oauth_authorization_not_found",
      "reauthentication_needed",
      "insufficient_aal",
    ],
    javascript: "const { data } = await supabase.auth.oauth.approveAuthorization(authorizationId);",
  },
  "POST /auth/v1/oauth/token": {
    id: "grantProgramToken",
    summary: "Get tokens for a program",
    description: `Takes a form (or JSON): \`grant_type=authorization_code\` with \`code\`, \`code_verifier\` and \`redirect_uri\`, or \`grant_type=refresh_token\` with \`refresh_token\`; and \`client_id\`, or what the client has registered. A code works once, within a minute.`,
    answers: {
      200: {
        description: "The tokens",
        schema: record(
          { access_token: TEXT, token_type: TEXT, expires_in: COUNT, scope: TEXT },
          { refresh_token: TEXT, id_token: TEXT },
        ),
        example: {
          access_token: "oat_…",
          token_type: "Bearer",
          expires_in: 3600,
          refresh_token: "ort_…",
          scope: "read",
        },
      },
      ...REFUSED_CLIENT,
    },
  },
  "POST /auth/v1/oauth/revoke": {
    id: "revokeProgramToken",
    summary: "End the session of a program",
    description: `Takes a form (or JSON): \`token\`, which is either of its tokens (RFC 7009). An unknown token is no error.`,
    answers: { 200: { description: "Ended" }, ...REFUSED_CLIENT },
  },
  "GET /auth/v1/oauth/userinfo": { id: "getUserInfo", summary: "Get who has let the program in", ...CLAIMS },
  "POST /auth/v1/oauth/userinfo": { id: "postUserInfo", summary: "Get who has let the program in, by POST", ...CLAIMS },
  "GET /auth/v1/user/oauth/grants": {
    id: "listGrants",
    summary: "List the programs that you have let in",
    answers: {
      200: {
        description: "One entry for each program and address that its tokens are for",
        schema: listOf(
          record({
            client: record(CLIENT_FIELDS),
            scopes: listOf(TEXT),
            granted_at: TIME,
            resource: TEXT,
            resources: OBJECT_OR_NULL,
            last_used_at: TIME_OR_NULL,
          }),
        ),
        example: [
          {
            client: CLIENT,
            scopes: ["read"],
            granted_at: AT,
            resource: "https://api.example.com",
            resources: null,
            last_used_at: AT,
          },
        ],
      },
    },
    errors: ["insufficient_aal"],
    javascript: "const { data } = await supabase.auth.oauth.listGrants();",
  },
  "DELETE /auth/v1/user/oauth/grants": {
    id: "revokeGrant",
    summary: "Disconnect a program",
    parameters: [{ ...inQuery("client_id", "the id of the client"), required: true }],
    answers: { 204: { description: "Its sessions have ended, and it must ask again" } },
    errors: ["validation_failed", "oauth_client_not_found", "insufficient_aal"],
    javascript: "await supabase.auth.oauth.revokeGrant({ clientId });",
  },
  "GET /auth/v1/.well-known/oauth-authorization-server": {
    id: "getAuthorizationServer",
    summary: "Get the metadata of the authorization server (RFC 8414)",
    ...METADATA,
  },
  "GET /.well-known/oauth-authorization-server/auth/v1": {
    id: "getAuthorizationServerOfIssuer",
    summary: "Get the metadata of the authorization server where RFC 8414 looks for it",
    ...METADATA,
  },
  "GET /.well-known/openid-configuration/auth/v1": {
    id: "getIssuerOfHost",
    summary: "Get the same document before the path of the issuer",
    ...METADATA,
  },
};
