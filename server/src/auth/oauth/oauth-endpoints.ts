import { inTransaction, type Queryable } from "../../db/index.ts";
import { AppError } from "../../errors/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthCall, AuthEndpoint, AuthResponse } from "../call.ts";
import { lockPrincipal } from "../mfa/lock-principal.ts";
import { requireLiveSession, requireSecondFactor } from "../principal/live-session.ts";
import { resolveBearerPrincipal } from "../principal/resolve-principal.ts";
import { openRefreshKey } from "../sessions/refresh-key.ts";
import { disconnectPrograms, selectGrants } from "../sql/oauth-consents.ts";
import { type ClientSessionRow, deleteClientSessions, findClientSession } from "../sql/oauth-sessions.ts";
import { getUserById, lockUser } from "../sql/users.ts";
import { isRefreshTokenSigned } from "../tokens/refresh-token.ts";
import { hashUserKey, isWellFormedKey } from "../user-keys/key-format.ts";
import { recordChange } from "../users/record-change.ts";
import { retryAfterDeadlock } from "../users/retry-after-deadlock.ts";
import { answerAuthorization, CONSENT_BODY, showAuthorization } from "./authorize/answer-authorization.ts";
import { beginAuthorization } from "./authorize/begin-authorization.ts";
import { oauthError, renderErrorPage, renderOAuthError } from "./oauth-error.ts";
import { requireParameters } from "./read-parameters.ts";
import { authenticateClient } from "./tokens/authenticate-client.ts";
import { decodeClientRefreshToken } from "./tokens/client-tokens.ts";
import { grantClientToken } from "./tokens/grant-client-token.ts";
import { claimsOf } from "./tokens/id-token.ts";

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

/** GET and POST /oauth/userinfo: about the user, for a client with the scope `openid`, whichever resource its token is for. */
async function describeUser(context: AuthContext, { headers }: AuthCall): Promise<AuthResponse> {
  const { authorization } = headers;
  const { principal } = await resolveBearerPrincipal(context, { apikey: undefined, authorization });
  if (principal.role === "authenticated") requireSecondFactor(principal, await requireLiveSession(context, principal));
  const sessionId = principal.client === undefined ? null : (principal.session?.sessionId ?? null);
  const session = sessionId === null ? null : await findClientSession(context.pool, sessionId);
  if (session?.scopes.includes("openid") !== true)
    throw new AppError("INSUFFICIENT_SCOPE", "Only the token of a program with the scope openid is accepted", {
      headers: { "www-authenticate": 'Bearer error="insufficient_scope", scope="openid"' },
    });
  return { status: 200, body: claimsOf(await getUserById(context.pool, session.user_id), session.scopes) };
}

/** POST /oauth/revoke (RFC 7009): ends the session of either token. A token that is none of the client's is no error. */
async function revokeToken(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const parameters = requireParameters(call.body);
  const token = parameters.get("token");
  if (token === undefined) throw oauthError("invalid_request", "token is required");
  const client = await authenticateClient(context, call, parameters);
  const session = await findSessionOf(context, token);
  if (session?.client_id === client.id) {
    const { id: sessionId, user_id: userId } = session;
    await retryAfterDeadlock(() =>
      inTransaction(context.pool, async (db) => {
        await lockUser(db, userId);
        await deleteClientSessions(db, { sessionId });
      }),
    );
    context.observer.note("oauth.revoked", { clientId: client.id, userId, sessionId });
  }
  return { status: 200, headers: { "cache-control": "no-store" } };
}

async function findSessionOf({ pool, masterKey }: AuthContext, token: string): Promise<ClientSessionRow | null> {
  const refresh = decodeClientRefreshToken(token);
  if (refresh === null) return isWellFormedKey(token) ? findClientSession(pool, hashUserKey(token)) : null;
  const session = await findClientSession(pool, refresh.sessionId);
  return session !== null && isRefreshTokenSigned(refresh, openRefreshKey(session, masterKey)) ? session : null;
}

/** GET /user/oauth/grants: the programs that the user has let in, one entry for each address that their tokens are for. */
async function listGrants({ pool }: AuthContext, { principal }: AuthCall): Promise<AuthResponse> {
  if (principal.role !== "authenticated") throw authError("no_authorization");
  const rows = await selectGrants(pool, principal.userId);
  const body = rows.map(({ client_id, name, client_uri, logo_uri, scopes, granted_at, ...row }) => ({
    client: { id: client_id, name, uri: client_uri ?? "", logo_uri: logo_uri ?? "" },
    scopes,
    granted_at: granted_at.toISOString(),
    resource: row.resource,
    resources: row.resources,
    last_used_at: row.last_used_at?.toISOString() ?? null,
  }));
  return { status: 200, body };
}

/** DELETE /user/oauth/grants: taking back needs no recent proof. */
async function revokeGrant(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const clientId = call.query["client_id"] ?? "";
  if (clientId === "" || clientId.includes("\0")) throw authError("validation_failed", "client_id is required");
  const revoke = async (db: Queryable): Promise<string> => {
    const { user, session } = await lockPrincipal(db, call);
    if ((await disconnectPrograms(db, user.id, clientId)) === 0)
      throw authError("oauth_client_not_found", "You have not let this program in");
    const change = { user, sessionId: session.id, address: call.address, clientId };
    await recordChange(context, db, { action: "program_disconnected", ...change });
    return user.id;
  };
  // The runs that the program has started are cancelled with its sessions.
  const userId = await retryAfterDeadlock(() => inTransaction(context.pool, revoke));
  context.observer.note("oauth.revoked", { clientId, userId, sessionId: null });
  context.mailWakeUp.trigger();
  return { status: 204 };
}
