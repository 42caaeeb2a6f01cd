import type { AuthContext } from "../auth-context.ts";
import type { Queryable } from "../sql/query.ts";
import { makeRefreshKey } from "../sessions/refresh-key.ts";
import type { IssuedSession } from "../sessions/issue-session.ts";
import { deleteLowerSessions, lockSession, updateSession } from "../sql/sessions.ts";
import { lockUser, selectWholeUser } from "../sql/users.ts";
import type { SessionRow } from "../sql/sessions.ts";
import type { FactorRow } from "../sql/user-row.ts";
import type { LockedPrincipal } from "./lock-principal.ts";

export interface PassedFactor extends Pick<FactorRow, "id" | "status" | "updated_at"> {
  /** As in `amr`. */
  readonly method: "totp" | "mfa/webauthn" | "mfa/recovery_code";
  /** The client's. */
  readonly address: string;
}

/** Raises the session to aal2 and ends the sessions of the user that are not. */
export async function raiseSession(
  context: AuthContext,
  client: Queryable,
  locked: LockedPrincipal,
  passed: PassedFactor,
): Promise<IssuedSession> {
  const { id: factorId, method, address } = passed;
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
    ...(isProofOf(passed, locked.session) && { proven_at: now }),
  });
  await deleteLowerSessions(client, locked.user.id, session.id);
  const user = await selectWholeUser(client, locked.user);
  const undo = (later: Queryable): Promise<void> => lowerAgain(later, locked, session);
  return { session, refreshKey, user, request: { method, address }, undo };
}

/** Without new tokens the client has only those from before, which become valid again. */
async function lowerAgain(client: Queryable, { user, session }: LockedPrincipal, raised: SessionRow): Promise<void> {
  await lockUser(client, user.id);
  const current = await lockSession(client, session.id);
  if (current?.refresh_key_wrapped.equals(raised.refresh_key_wrapped) !== true) return;
  const { aal, amr, factor_id, refresh_key_wrapped, refreshed_at, proven_at } = session;
  await updateSession(client, session.id, { aal, amr, factor_id, refresh_key_wrapped, refreshed_at, proven_at });
}

/** A factor that was set up after the sign-in proves nothing: whoever has stolen the token can have done it. */
function isProofOf({ method, status, updated_at: verifiedAt }: PassedFactor, { amr }: SessionRow): boolean {
  const signedInAt = amr.at(-1)?.timestamp ?? 0;
  return method !== "mfa/recovery_code" && status === "verified" && verifiedAt.getTime() <= signedInAt * 1000;
}
