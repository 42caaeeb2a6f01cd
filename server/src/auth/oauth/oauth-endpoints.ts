import type { AuthEndpoint } from "../call.ts";
import { answerAuthorization, CONSENT_BODY, showAuthorization } from "./authorize/answer-authorization.ts";
import { beginAuthorization } from "./authorize/begin-authorization.ts";
import { listGrants, revokeGrant } from "./grants/own-grants.ts";
import { renderErrorPage, renderOAuthError } from "./oauth-error.ts";
import { grantClientToken } from "./tokens/grant-client-token.ts";
import { revokeToken } from "./tokens/revoke-token.ts";
import { describeUser } from "./tokens/describe-user.ts";

export const oauthEndpoints: readonly AuthEndpoint[] = [
  {
    method: "GET",
    path: "/oauth/authorize",
    access: "public",
    limit: "api",
    isPage: true,
    renderError: renderErrorPage,
    run: beginAuthorization,
  },
  { method: "GET", path: "/oauth/authorizations/:id", access: "user", limit: "api", run: showAuthorization },
  {
    method: "POST",
    path: "/oauth/authorizations/:id/consent",
    access: "user",
    limit: "api",
    body: CONSENT_BODY,
    run: answerAuthorization,
  },
  {
    method: "POST",
    path: "/oauth/token",
    access: "public",
    limit: "api",
    // A client on a server calls for many people from one address.
    limitOf: () => "refresh",
    renderError: renderOAuthError,
    run: grantClientToken,
  },
  {
    method: "POST",
    path: "/oauth/revoke",
    access: "public",
    limit: "api",
    renderError: renderOAuthError,
    run: revokeToken,
  },
  { method: "GET", path: "/oauth/userinfo", access: "public", limit: "api", run: describeUser },
  { method: "POST", path: "/oauth/userinfo", access: "public", limit: "api", run: describeUser },
  { method: "GET", path: "/user/oauth/grants", access: "user", limit: "api", run: listGrants },
  { method: "DELETE", path: "/user/oauth/grants", access: "user", limit: "api", run: revokeGrant },
];
