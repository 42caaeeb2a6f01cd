import { inTransaction } from "../../db/index.ts";
import type { AppError } from "../../errors/index.ts";
import { isBanned } from "../accounts/account-rules.ts";
import type { AuthContext, Queryable } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import { deleteSessions, type SessionRow, lockSession, updateSession } from "../sql/sessions.ts";
import { findUserById, selectWholeUser } from "../sql/users.ts";
import { type DecodedRefreshToken, decodeRefreshToken, isRefreshTokenSigned } from "../tokens/refresh-token.ts";
import { openRefreshKey } from "./refresh-key.ts";
import { renderSession, type SessionBody, type SessionParts } from "./render-session.ts";

/**
 * Issues a new access token for a live session. Concurrent requests with the same token are serialised by the
 * session's row: the first one advances it, and all get the same refresh token.
 */
export async function refreshSession(context: AuthContext, refreshToken: string): Promise<SessionBody> {
  const token = decodeRefreshToken(refreshToken);
  if (token === null) throw authError("refresh_token_not_found");
  const outcome = await inTransaction(context.pool, (client) => advanceSession(context, client, token));
  if ("failure" in outcome) throw outcome.failure;
  return renderSession(context, outcome);
}

/** Returns an error that ends the session instead of throwing it, because the end must be committed. */
async function advanceSession(
  context: AuthContext,
  client: Queryable,
  token: DecodedRefreshToken,
): Promise<SessionParts | { readonly failure: AppError }> {
  const session = await lockSession(client, token.sessionId);
  if (session === null) throw authError("refresh_token_not_found");
  const refreshKey = openRefreshKey(session, context.masterKey);
  // Knowing a session's id alone must not allow any change to it.
  if (!isRefreshTokenSigned(token, refreshKey)) throw authError("refresh_token_not_found");

  const end = async (failure: AppError): Promise<{ readonly failure: AppError }> => {
    await deleteSessions(client, { userId: session.user_id, only: session.id });
    return { failure };
  };
  const user = await findUserById(client, session.user_id);
  if (user === null) return end(authError("refresh_token_not_found"));
  if (isBanned(context, user)) return end(authError("user_banned", undefined, { status: 400 }));
  if (hasExpired(context, session)) return end(authError("session_expired"));

  const now = context.clock.now();
  const counter = BigInt(session.refresh_counter);
  const decision = decideRefresh({
    counter,
    presented: token.counter,
    refreshedAt: session.refreshed_at,
    now,
    reuseSeconds: context.settings.authRefreshReuseSeconds,
  });
  switch (decision) {
    case "advance": {
      const changes = { refresh_counter: String(counter + 1n), refreshed_at: now };
      const advanced = await updateSession(client, session.id, changes);
      return { session: advanced, refreshKey, user: await selectWholeUser(client, user) };
    }
    case "repeat":
      return { session, refreshKey, user: await selectWholeUser(client, user) };
    case "reuse":
      return end(authError("refresh_token_already_used"));
    case "impossible":
      throw authError("refresh_token_not_found");
  }
}

function hasExpired({ clock, settings }: AuthContext, session: SessionRow): boolean {
  const now = clock.now().getTime();
  if (session.not_after !== null && session.not_after.getTime() <= now) return true;
  const idleSeconds = settings.authSessionInactivitySeconds;
  const lastUse = (session.refreshed_at ?? session.created_at).getTime();
  return idleSeconds > 0 && now - lastUse > idleSeconds * 1000;
}

export interface RefreshInput {
  /** The session's counter. */
  readonly counter: bigint;
  /** The token's counter. */
  readonly presented: bigint;
  readonly refreshedAt: Date | null;
  readonly now: Date;
  readonly reuseSeconds: number;
}

/**
 * "advance": the current token, which is used up. "repeat": an older token of a client that lost the response, or of
 * another tab, which gets the current one again. "reuse": an older token that was probably stolen. "impossible": a
 * counter that the session has not reached.
 */
export type RefreshDecision = "advance" | "repeat" | "reuse" | "impossible";

export function decideRefresh({ counter, presented, refreshedAt, now, reuseSeconds }: RefreshInput): RefreshDecision {
  const behind = counter - presented;
  if (behind < 0n) return "impossible";
  if (behind === 0n) return "advance";
  if (behind === 1n) return "repeat";
  const isRecent = refreshedAt !== null && now.getTime() - refreshedAt.getTime() <= reuseSeconds * 1000;
  return isRecent ? "repeat" : "reuse";
}
