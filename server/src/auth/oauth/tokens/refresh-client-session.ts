import { inTransaction, type Queryable } from "../../../db/index.ts";
import type { AppError } from "../../../errors/index.ts";
import type { AuthContext } from "../../auth-context.ts";
import type { AuthCall } from "../../call.ts";
import { openRefreshKey } from "../../sessions/refresh-key.ts";
import { decideRefresh } from "../../sessions/refresh-session.ts";
import { insertAuditEntry } from "../../sql/audit-log.ts";
import {
  type ClientSessionRow,
  deleteClientSessions,
  lockClientSession,
  renewClientSession,
} from "../../sql/oauth-sessions.ts";
import { findUserById } from "../../sql/users.ts";
import { type DecodedRefreshToken, isRefreshTokenSigned } from "../../tokens/refresh-token.ts";
import { isBanned } from "../../users/account-rules.ts";
import { retryAfterDeadlock } from "../../users/retry-after-deadlock.ts";
import type { OAuthClient } from "../clients/client.ts";
import { oauthError } from "../oauth-error.ts";
import type { Parameters } from "../read-parameters.ts";
import { findResource } from "../find-resource.ts";
import {
  ACCESS_TTL_SECONDS,
  type AccessToken,
  decodeClientRefreshToken,
  makeAccessToken,
  makeClientRefreshToken,
} from "./client-tokens.ts";

const DAY_MS = 86_400_000;

interface SessionTokens {
  readonly id: string;
  readonly scopes: readonly string[];
  readonly counter: bigint;
  readonly refreshKey: Buffer;
  readonly access: AccessToken;
}

export function renderTokens({ grantTypes }: OAuthClient, { id, scopes, counter, refreshKey, access }: SessionTokens) {
  return {
    access_token: access.token,
    token_type: "Bearer",
    expires_in: ACCESS_TTL_SECONDS,
    ...(grantTypes.includes("refresh_token") && {
      refresh_token: makeClientRefreshToken(id, counter, refreshKey),
    }),
    scope: scopes.join(" "),
  };
}

/** A session that cannot be refreshed ends with its access token. */
export function findSessionEnd({ settings }: AuthContext, { grantTypes }: OAuthClient, now: Date): Date {
  const lifeMs = grantTypes.includes("refresh_token")
    ? settings.oauthRefreshTtlDays * DAY_MS
    : ACCESS_TTL_SECONDS * 1000;
  return new Date(now.getTime() + lifeMs);
}

interface RefreshRequest {
  readonly client: OAuthClient;
  readonly parameters: Parameters;
  readonly call: Pick<AuthCall, "address">;
}

const REFUSED = "The refresh token is not valid, has expired, was used before, or was issued to another client";

/** Issues new tokens for a session, by the rules for the sessions of people. */
export async function refreshClientSession(context: AuthContext, request: RefreshRequest) {
  const text = request.parameters.get("refresh_token");
  if (text === undefined) throw oauthError("invalid_request", "refresh_token is required");
  const token = decodeClientRefreshToken(text);
  if (token === null) throw oauthError("invalid_grant", REFUSED);
  const outcome = await retryAfterDeadlock(() =>
    inTransaction(context.pool, (db) => advance(context, db, { ...request, token })),
  );
  if ("failure" in outcome) throw outcome.failure;
  return outcome;
}

/** Returns an error that ends the session instead of throwing it, because the end must be committed. */
async function advance(
  context: AuthContext,
  db: Queryable,
  { client, parameters, call: { address }, token }: RefreshRequest & { readonly token: DecodedRefreshToken },
): Promise<ReturnType<typeof renderTokens> | { readonly failure: AppError }> {
  const failure = oauthError("invalid_grant", REFUSED);
  const session = await lockClientSession(db, token.sessionId);
  if (session?.client_id !== client.id) throw failure;
  const refreshKey = openRefreshKey(session, context.masterKey);
  // Knowing a session's id alone must not allow any change to it.
  if (!isRefreshTokenSigned(token, refreshKey)) throw failure;
  const { id, user_id: userId } = session;
  const end = async () => {
    await deleteClientSessions(db, { sessionId: id });
    return { failure };
  };
  const now = context.clock.now();
  const user = await findUserById(db, userId);
  const isOver = session.not_after !== null && session.not_after <= now;
  if (user === null || isOver || isBanned(context, user)) return end();

  const counter = BigInt(session.refresh_counter);
  const decision = decideRefresh({
    counter,
    presented: token.counter,
    isSeen: session.seen_refresh_counter === session.refresh_counter,
    isPreviousAlwaysAccepted: context.settings.authRefreshPrevious === "always",
    refreshedAt: session.refreshed_at,
    now,
    reuseSeconds: context.settings.authRefreshReuseSeconds,
  });
  if (decision === "impossible") throw failure;
  if (decision === "reuse") {
    const reused = { userId, sessionId: id, address, clientId: client.id };
    await insertAuditEntry(db, { action: "refresh_token_reused", ...reused });
    context.observer.note("oauth.refresh_reused", reused);
    return end();
  }
  requireSameGrant(context, parameters, session);
  const next = decision === "advance" ? counter + 1n : counter;
  const access = makeAccessToken(refreshKey, next);
  await renewClientSession(db, {
    id,
    counter: next,
    accessHash: access.hash,
    accessExpiresAt: new Date(now.getTime() + ACCESS_TTL_SECONDS * 1000),
    notAfter: findSessionEnd(context, client, now),
    // The time within which the previous token is accepted begins with the first answer.
    refreshedAt: decision === "advance" ? now : (session.refreshed_at ?? now),
  });
  context.observer.note("oauth.token_issued", { clientId: client.id, userId, sessionId: id, grant: "refresh_token" });
  return renderTokens(client, { id, scopes: session.scopes, counter: next, refreshKey, access });
}

/** A refresh changes nothing about what was granted. A client that asks for less gets all, and is told so in `scope`. */
function requireSameGrant(context: AuthContext, parameters: Parameters, { scopes, resource }: ClientSessionRow): void {
  const wanted = parameters.get("scope")?.split(" ") ?? [];
  if (!wanted.every((scope) => scope === "" || scopes.includes(scope)))
    throw oauthError("invalid_scope", "A refresh cannot add scopes");
  const named = parameters.get("resource");
  if (named !== undefined && findResource(context, named) !== resource)
    throw oauthError("invalid_target", "The refresh token was issued for another resource");
}
