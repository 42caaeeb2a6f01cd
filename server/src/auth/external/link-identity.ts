import { inTransaction, type Queryable } from "../../db/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthCall, AuthResponse } from "../call.ts";
import { lockPrincipal } from "../mfa/lock-principal.ts";
import { getPathId } from "../parse-call.ts";
import type { IssuedSession } from "../sessions/issue-session.ts";
import { requireClientProof } from "../sessions/recent-proof.ts";
import { openRefreshKey } from "../sessions/refresh-key.ts";
import { deleteIdentity, lockIdentityName, selectIdentities } from "../sql/identities.ts";
import { selectLiveness } from "../sql/liveness.ts";
import { findSession, lockSession } from "../sql/sessions.ts";
import { findUserByEmail, lockUser, selectWholeUser, updateUser } from "../sql/users.ts";
import { translateUniqueViolation } from "../users/create-user.ts";
import { recordChange } from "../users/record-change.ts";
import { attachIdentity, findIdentity, listProviders, OAUTH_METHOD, type PresentedIdentity } from "./admit-identity.ts";

/**
 * Adds the identity to the account of the session that began it, and answers with the same session: another one would be of a
 * lower level. The session must still live, and have passed the second factor if there is one now.
 */
export async function linkIdentity(
  context: AuthContext,
  client: Queryable,
  presented: PresentedIdentity & { readonly sessionId: string },
): Promise<IssuedSession> {
  const { provider, profile, sessionId } = presented;
  const { clock, settings } = context;
  // Before the user, as a sign-in does.
  await lockIdentityName(client, `${provider} ${profile.subject}`);
  const found = await findSession(client, sessionId);
  const user = found === null ? null : await lockUser(client, found.user_id);
  const session = user === null ? null : await lockSession(client, sessionId);
  const gone = authError("session_not_found", undefined, { status: 403 });
  if (user === null || session === null) throw gone;
  const inactivitySeconds = settings.authSessionIdleTtlSeconds;
  const liveness = await selectLiveness(client, { userId: user.id, sessionId, now: clock.now(), inactivitySeconds });
  if (liveness?.has_session !== true) throw gone;
  if (liveness.is_banned) throw authError("user_banned");
  if (liveness.lacks_second_factor) throw authError("insufficient_aal", undefined, { status: 403 });
  requireClientProof(context, { user, session }, "Linking an identity");

  if ((await findIdentity(client, provider, profile)) !== null) throw authError("identity_already_exists");
  await attachIdentity(context, client, user, presented);
  const address = profile.verifiedEmail;
  const isFree = address !== null && user.email === null && (await findUserByEmail(client, address)) === null;
  const row = await updateUser(client, user.id, {
    is_anonymous: false,
    ...(isFree && { email: address, email_confirmed_at: clock.now(), proven_email: address }),
  }).catch((error: unknown) => {
    throw translateUniqueViolation(error);
  });
  return {
    session,
    refreshKey: openRefreshKey(session, context.masterKey),
    user: await selectWholeUser(client, row),
    request: { method: OAUTH_METHOD, address: presented.call.address },
    // The session is an earlier one, whose tokens stay valid.
    undo: async () => {},
  };
}

/** DELETE /user/identities/:id. The password belongs to the identity `email`. */
export async function unlinkIdentity(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const id = getPathId(call.params, "id", "identity_id");
  await inTransaction(context.pool, async (client) => {
    const { user, session } = await lockPrincipal(client, call);
    requireClientProof(context, { user, session }, "Unlinking an identity");
    const identities = await selectIdentities(client, [user.id]);
    const identity = identities.find((row) => row.id === id);
    if (identity === undefined) throw authError("identity_not_found");
    if (identities.length === 1) throw authError("single_identity_not_deletable");
    const { address } = call;
    await deleteIdentity(client, id);
    await recordChange(context, client, { action: "identity_unlinked", user, sessionId: session.id, address });
    await updateUser(client, user.id, {
      app_metadata: await listProviders(client, user),
      ...(identity.provider === "email" && { password_hash: null }),
    });
  });
  context.mailWakeUp.trigger();
  return { status: 200, body: {} };
}
