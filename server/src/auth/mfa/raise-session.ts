import { inTransaction, type Queryable } from "../../db/index.ts";
import type { AuthContext } from "../auth-context.ts";
import type { AuthCall } from "../call.ts";
import { readDecision } from "../hooks/hook.ts";
import { rejectAttempt } from "../sessions/check-attempt.ts";
import { finishSession, type IssuedSession } from "../sessions/issue-session.ts";
import { makeRefreshKey } from "../sessions/refresh-key.ts";
import type { SessionBody } from "../sessions/render-session.ts";
import { runTrial } from "../sql/query.ts";
import { deleteLowerSessions, lockSession, type SessionRow, updateSession } from "../sql/sessions.ts";
import type { FactorRow } from "../sql/user-row.ts";
import { lockUser, selectWholeUser } from "../sql/users.ts";
import type { LockedPrincipal } from "./lock-principal.ts";

interface CheckedCode {
  readonly factor: Pick<FactorRow, "id" | "user_id" | "factor_type">;
  /** Null means that the code is wrong. What was counted for it is committed. */
  readonly session: IssuedSession | null;
}

type CheckCode = (client: Queryable) => Promise<CheckedCode>;

/**
 * Checks a code and raises the session; null when the code is wrong. With a hook, a right code is checked twice: the hook learns of the
 * result outside of the transaction and before it has an effect.
 */
export async function attemptFactor(
  context: AuthContext,
  { address }: Pick<AuthCall, "address">,
  check: CheckCode,
): Promise<SessionBody | null> {
  const hook = context.hooks.mfa_verification_attempt;
  if (hook !== null) {
    // A wrong code stays counted.
    const isKept = (checked: CheckedCode): boolean => checked.session === null;
    const { factor, session } = await inTransaction(context.pool, (client) =>
      runTrial(client, isKept, () => check(client)),
    );
    const { id, user_id: userId, factor_type } = factor;
    const event = { user_id: userId, factor_id: id, factor_type, valid: session !== null };
    const decision = await hook.ask({ event, address, read: readDecision });
    if (decision?.isRejected === true)
      await rejectAttempt(context, userId, { ...decision, shouldLogOut: true }, "mfa_verification_rejected");
    if (session === null) return null;
  }
  const { session } = await inTransaction(context.pool, check);
  return session === null ? null : finishSession(context, session);
}

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
