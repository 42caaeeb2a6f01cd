import { inTransaction, type Queryable } from "../../../db/index.ts";
import type { AuthContext } from "../../auth-context.ts";
import { authError } from "../../auth-error.ts";
import type { AuthCall, AuthResponse } from "../../call.ts";
import { lockPrincipal } from "../../mfa/lock-principal.ts";
import { disconnectPrograms, selectGrants } from "../../sql/oauth-consents.ts";
import { recordChange } from "../../users/record-change.ts";
import { retryAfterDeadlock } from "../../users/retry-after-deadlock.ts";

/** GET /user/oauth/grants: the programs that the user has let in, one entry for each address that their tokens are for. */
export async function listGrants({ pool }: AuthContext, { principal }: AuthCall): Promise<AuthResponse> {
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
export async function revokeGrant(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
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
