import { inTransaction, type Queryable } from "../../db/index.ts";
import { type HookFault, isHookFailure } from "../hooks/hook.ts";
import type { AppError } from "../../errors/index.ts";
import { isBanned } from "../users/account-rules.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import { insertAuditEntry } from "../sql/audit-log.ts";
import { deleteSessions, type SessionRow, lockSession, updateSession } from "../sql/sessions.ts";
import { findUserById, selectWholeUser } from "../sql/users.ts";
import { type DecodedRefreshToken, decodeRefreshToken, isRefreshTokenSigned } from "../tokens/refresh-token.ts";
import { openRefreshKey } from "./refresh-key.ts";
import { renderSession, type SessionBody, type SessionSource } from "./render-session.ts";

const RETRY_AFTER_SECONDS = 5;

/**
 * Issues a new access token for a live session. Concurrent requests with the same token are serialised by the
 * session's row: the first one advances it, and all get the same refresh token.
 */
export async function refreshSession(context: AuthContext, presented: PresentedRefreshToken): Promise<SessionBody> {
  const token = decodeRefreshToken(presented.text);
  if (token === null) throw authError("refresh_token_not_found");
  const { address } = presented;
  const outcome = await inTransaction(context.pool, (client) => advanceSession(context, client, { ...token, address }));
  if ("reused" in outcome) context.observer.note("session.refresh_token_reused", outcome.reused);
  if ("failure" in outcome) throw outcome.failure;
  return renderSession(context, outcome, { method: "token_refresh", address }).catch((error: unknown) => {
    throw isHookFailure(error) ? toRetryable(error) : error;
  });
}

/** A client would give the session up after any other status. The token that it has presented stays valid. */
function toRetryable({ message, cause }: Error & { readonly cause: HookFault }): AppError {
  return authError(cause.code, message, { status: 503, retryAfterSeconds: RETRY_AFTER_SECONDS, cause });
}

interface PresentedRefreshToken {
  readonly text: string;
  /** The client's. */
  readonly address: string;
}

interface EndedSession {
  readonly failure: AppError;
  /** Set when one of two holders of the session's tokens must have stolen them. */
  readonly reused?: { readonly userId: string; readonly sessionId: string; readonly address: string };
}

/** Returns an error that ends the session instead of throwing it, because the end must be committed. */
async function advanceSession(
  context: AuthContext,
  client: Queryable,
  { address, ...token }: DecodedRefreshToken & Pick<PresentedRefreshToken, "address">,
): Promise<SessionSource | EndedSession> {
  const session = await lockSession(client, token.sessionId);
  if (session === null) throw authError("refresh_token_not_found");
  const refreshKey = openRefreshKey(session, context.masterKey);
  // Knowing a session's id alone must not allow any change to it.
  if (!isRefreshTokenSigned(token, refreshKey)) throw authError("refresh_token_not_found");

  const end = async (failure: AppError): Promise<EndedSession> => {
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
    isSeen: session.seen_refresh_counter === session.refresh_counter,
    isPreviousAlwaysAccepted: context.settings.authRefreshPrevious === "always",
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
    case "reuse": {
      const reused = { userId: user.id, sessionId: session.id, address };
      await insertAuditEntry(client, { action: "refresh_token_reused", ...reused });
      return { ...(await end(authError("refresh_token_already_used"))), reused };
    }
    case "impossible":
      throw authError("refresh_token_not_found");
  }
}

function hasExpired({ clock, settings }: AuthContext, session: SessionRow): boolean {
  const now = clock.now().getTime();
  if (session.not_after !== null && session.not_after.getTime() <= now) return true;
  const idleSeconds = settings.authSessionIdleTtlSeconds;
  const lastUse = (session.refreshed_at ?? session.created_at).getTime();
  return idleSeconds > 0 && now - lastUse > idleSeconds * 1000;
}

interface RefreshInput {
  /** The session's counter. */
  readonly counter: bigint;
  /** The token's counter. */
  readonly presented: bigint;
  /** Whether the client has received the session's current tokens. */
  readonly isSeen: boolean;
  readonly isPreviousAlwaysAccepted: boolean;
  readonly refreshedAt: Date | null;
  readonly now: Date;
  readonly reuseSeconds: number;
}

/**
 * "advance": the current token, which is used up. "repeat": an older token of a client that lost the response, or of
 * another tab, which gets the current one again. "reuse": an older token that was probably stolen. "impossible": a
 * counter that the session has not reached.
 */
type RefreshDecision = "advance" | "repeat" | "reuse" | "impossible";

export function decideRefresh(input: RefreshInput): RefreshDecision {
  const { counter, presented, isSeen, isPreviousAlwaysAccepted, refreshedAt, now, reuseSeconds } = input;
  const behind = counter - presented;
  if (behind < 0n) return "impossible";
  if (behind === 0n) return "advance";
  if (behind === 1n && (!isSeen || isPreviousAlwaysAccepted)) return "repeat";
  const isRecent = refreshedAt !== null && now.getTime() - refreshedAt.getTime() <= reuseSeconds * 1000;
  return isRecent ? "repeat" : "reuse";
}
