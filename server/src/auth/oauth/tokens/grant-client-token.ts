import { inTransaction, newRowId, type Queryable } from "../../../db/index.ts";
import type { AuthContext } from "../../auth-context.ts";
import type { AuthCall, AuthResponse } from "../../call.ts";
import { hashAuthCode, isVerifierOf } from "../../one-time/pkce.ts";
import { makeRefreshKey } from "../../sessions/refresh-key.ts";
import { insertAuditEntry } from "../../sql/audit-log.ts";
import { type AuthorizationRow, findByCode, lockByCode, storeRedemption } from "../../sql/oauth-authorizations.ts";
import { deleteClientSessions, insertClientSession } from "../../sql/oauth-sessions.ts";
import type { UserRow } from "../../sql/user-row.ts";
import { lockUser } from "../../sql/users.ts";
import { isBanned } from "../../users/account-rules.ts";
import { retryAfterDeadlock } from "../../users/retry-after-deadlock.ts";
import type { OAuthClient } from "../clients/client.ts";
import { oauthError } from "../oauth-error.ts";
import { type Parameters, requireParameters } from "../read-parameters.ts";
import { findResource } from "../find-resource.ts";
import { authenticateClient } from "./authenticate-client.ts";
import { ACCESS_TTL_SECONDS, makeAccessToken } from "./client-tokens.ts";
import { signIdToken } from "./id-token.ts";
import { findSessionEnd, refreshClientSession, renderTokens } from "./refresh-client-session.ts";

/** As long as a second use of a code is recognised, for the session that the first one made. */
const USED_CODE_MS = 24 * 60 * 60 * 1000;
const VERIFIER = /^[\w.~-]{43,128}$/;
const USER_AGENT_LENGTH = 500;

/** POST /oauth/token */
export async function grantClientToken(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const parameters = requireParameters(call.body);
  const grant = parameters.get("grant_type");
  if (grant === undefined) throw oauthError("invalid_request", "grant_type is required");
  if (grant !== "authorization_code" && grant !== "refresh_token")
    throw oauthError("unsupported_grant_type", "grant_type must be authorization_code or refresh_token");
  const client = await authenticateClient(context, call, parameters);
  if (!client.grantTypes.includes(grant))
    throw oauthError("unauthorized_client", `The client may not use the grant type ${grant}`);
  const redeem = grant === "refresh_token" ? refreshClientSession : redeemCode;
  const body = await redeem(context, { client, parameters, call });
  return { status: 200, body, headers: { "cache-control": "no-store" } };
}

interface TokenRequest {
  readonly client: OAuthClient;
  readonly parameters: Parameters;
  readonly call: AuthCall;
}

const REFUSED = "The code is not valid, has expired, was used before, or was issued to another client or redirect_uri";

async function redeemCode(context: AuthContext, request: TokenRequest) {
  const { client, parameters } = request;
  const code = parameters.get("code");
  const verifier = parameters.get("code_verifier");
  if (code === undefined || verifier === undefined || parameters.get("redirect_uri") === undefined)
    throw oauthError("invalid_request", "code, code_verifier and redirect_uri are required");
  const codeHash = hashAuthCode(code);
  const known = await findByCode(context.pool, codeHash);
  // Nothing is said about the codes of others, and nothing happens to them.
  if (known?.client_id !== client.id || known.user_id === null) throw oauthError("invalid_grant", REFUSED);
  const userId = known.user_id;
  const redeem = async (db: Queryable) => {
    // Everything that ends sessions locks the user first.
    const user = await lockUser(db, userId);
    const row = await lockByCode(db, codeHash);
    if (user === null || row === null) return null;
    if (row.redeemed_at !== null) return endReused(context, db, { ...request, row });
    if (row.expires_at <= context.clock.now() || isBanned(context, user)) return null;
    requireProofs(context, parameters, { row, verifier });
    return openClientSession(context, db, { ...request, row, user });
  };
  const redeemed = await retryAfterDeadlock(() => inTransaction(context.pool, redeem));
  if (redeemed === null) throw oauthError("invalid_grant", REFUSED);
  return redeemed;
}

/** The code stays as it is when these fail: whoever has only the code must not be able to use it up. */
function requireProofs(
  context: AuthContext,
  parameters: Parameters,
  { row, verifier }: { readonly row: AuthorizationRow; readonly verifier: string },
): void {
  const isProven = VERIFIER.test(verifier) && isVerifierOf({ challenge: row.code_challenge, method: "s256" }, verifier);
  if (!isProven || parameters.get("redirect_uri") !== row.redirect_uri) throw oauthError("invalid_grant", REFUSED);
  const resource = parameters.get("resource");
  if (resource !== undefined && findResource(context, resource) !== row.resource)
    throw oauthError("invalid_target", "The code was issued for another resource");
}

/** One of two holders of the code must have stolen it, and the first one may have been the thief (RFC 6749, section 4.1.2). */
async function endReused(
  { observer }: AuthContext,
  db: Queryable,
  { row, client, call: { address } }: TokenRequest & { readonly row: AuthorizationRow },
): Promise<null> {
  const { session_id: sessionId, user_id: userId } = row;
  if (sessionId === null || userId === null) return null;
  await deleteClientSessions(db, { sessionId });
  const reused = { userId, sessionId, address, clientId: client.id };
  await insertAuditEntry(db, { action: "authorization_code_reused", ...reused });
  observer.note("oauth.code_reused", reused);
  return null;
}

async function openClientSession(
  context: AuthContext,
  db: Queryable,
  { row, user, client, call }: TokenRequest & { readonly row: AuthorizationRow; readonly user: UserRow },
) {
  const now = context.clock.now();
  const id = newRowId(now);
  const { refreshKey, wrapped } = makeRefreshKey(id, context.masterKey);
  const access = makeAccessToken(refreshKey, 0n);
  const authenticatedAt = row.authenticated_at ?? now;
  const accessExpiresAt = new Date(now.getTime() + ACCESS_TTL_SECONDS * 1000);
  const { scopes } = row;
  await insertClientSession(db, {
    id,
    user_id: user.id,
    client_id: client.id,
    clientName: client.name,
    resource: row.resource,
    scopes,
    resources: row.resources,
    aal: row.aal ?? "aal1",
    wrapped,
    accessHash: access.hash,
    access_expires_at: accessExpiresAt,
    notAfter: findSessionEnd(context, client, now),
    authenticatedAt,
    address: call.address,
    userAgent: call.userAgent?.slice(0, USER_AGENT_LENGTH) ?? null,
  });
  const keptUntil = new Date(now.getTime() + USED_CODE_MS);
  await storeRedemption(db, row.id, { sessionId: id, redeemedAt: now, keptUntil });
  const tokens = renderTokens(client, { id, scopes, counter: 0n, refreshKey, access });
  const identity = { user, clientId: client.id, scopes, nonce: row.nonce, authenticatedAt };
  const idToken = scopes.includes("openid") ? await signIdToken(context, identity) : null;
  const fields = { clientId: client.id, userId: user.id, sessionId: id, grant: "authorization_code" };
  context.observer.note("oauth.token_issued", fields);
  return { ...tokens, ...(idToken !== null && { id_token: idToken }) };
}
