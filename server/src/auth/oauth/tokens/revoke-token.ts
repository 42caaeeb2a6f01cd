import { inTransaction } from "../../../db/index.ts";
import type { AuthContext } from "../../auth-context.ts";
import type { AuthCall, AuthResponse } from "../../call.ts";
import { openRefreshKey } from "../../sessions/refresh-key.ts";
import { type ClientSessionRow, deleteClientSessions, findClientSession } from "../../sql/oauth-sessions.ts";
import { lockUser } from "../../sql/users.ts";
import { isRefreshTokenSigned } from "../../tokens/refresh-token.ts";
import { retryAfterDeadlock } from "../../users/retry-after-deadlock.ts";
import { hashUserKey, isWellFormedKey } from "../../user-keys/key-format.ts";
import { oauthError } from "../oauth-error.ts";
import { requireParameters } from "../read-parameters.ts";
import { authenticateClient } from "./authenticate-client.ts";
import { decodeClientRefreshToken } from "./client-tokens.ts";

/** POST /oauth/revoke (RFC 7009): ends the session of either token. A token that is none of the client's is no error. */
export async function revokeToken(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
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
