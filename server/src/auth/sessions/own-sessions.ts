import { inTransaction } from "../../db/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthResponse, AuthCall } from "../call.ts";
import { getPathId } from "../parse-call.ts";
import { selectLiveSessions, deleteSessions, findSession } from "../sql/sessions.ts";
import { lockUser } from "../sql/users.ts";

/** GET /sessions: the user's live sessions. The response contains no credentials. */
export async function listSessions(context: AuthContext, { principal }: AuthCall): Promise<AuthResponse> {
  if (principal.role !== "authenticated") throw authError("no_authorization");
  const { userId, session } = principal;
  const rows = await selectLiveSessions(context.pool, userId, context.settings.authSessionIdleTtlSeconds);
  const sessions = rows.map((row) => ({
    id: row.id,
    created_at: row.created_at.toISOString(),
    last_seen_at: row.last_seen_at.toISOString(),
    user_agent: row.user_agent,
    ip: row.ip,
    aal: row.aal,
    is_current: row.id === session?.sessionId,
  }));
  return { status: 200, body: { sessions } };
}

/** DELETE /sessions/:id: signs out one device. A session of another user gives 404. */
export async function endSession(context: AuthContext, { principal, params }: AuthCall): Promise<AuthResponse> {
  if (principal.role !== "authenticated") throw authError("no_authorization");
  const { userId } = principal;
  const only = getPathId(params, "id", "session_id");
  await inTransaction(context.pool, async (client) => {
    // Everything that deletes sessions locks the user first.
    await lockUser(client, userId);
    const session = await findSession(client, only);
    if (session?.user_id !== userId) throw authError("session_not_found", "Session not found", { status: 404 });
    await deleteSessions(client, { userId, only });
  });
  return { status: 204 };
}
