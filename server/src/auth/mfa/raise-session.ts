import type { AuthContext, Queryable } from "../auth-context.ts";
import { makeRefreshKey } from "../sessions/refresh-key.ts";
import { renderSession, type SessionBody } from "../sessions/render-session.ts";
import { deleteLowerSessions, updateSession } from "../sql/sessions.ts";
import { selectWholeUser } from "../sql/users.ts";
import type { LockedPrincipal } from "./lock-principal.ts";

export interface PassedFactor {
  readonly id: string;
  /** As in `amr`. */
  readonly method: "totp" | "mfa/recovery_code";
}

/** Raises the session to aal2 and ends the sessions of the user that are not. */
export async function raiseSession(
  context: AuthContext,
  client: Queryable,
  locked: LockedPrincipal,
  { id: factorId, method }: PassedFactor,
): Promise<SessionBody> {
  const now = context.clock.now();
  const earlier = locked.session.amr.filter((entry) => entry.method !== method);
  // Refresh tokens of the aal1 session must not be accepted as a repeated request: a new key invalidates their
  // signatures.
  const { refreshKey, wrapped } = makeRefreshKey(locked.session.id, context.masterKey);
  const session = await updateSession(client, locked.session.id, {
    aal: "aal2",
    amr: [{ method, timestamp: Math.floor(now.getTime() / 1000) }, ...earlier],
    factor_id: factorId,
    refresh_key_wrapped: wrapped,
    refreshed_at: now,
  });
  await deleteLowerSessions(client, locked.user.id, session.id);
  return renderSession(context, { session, refreshKey, user: await selectWholeUser(client, locked.user) });
}
