import { authError } from "../auth-error.ts";
import type { AuthAnswer, AuthCall } from "../call.ts";
import type { AuthContext } from "../auth-context.ts";
import { selectLiveSessions } from "./sql/live-sessions.ts";

/** Where the caller is signed in. Nothing of it lets anybody act as one of these sessions. */
export async function listSessions(context: AuthContext, { principal }: AuthCall): Promise<AuthAnswer> {
  if (principal.role !== "authenticated") throw authError("no_authorization");
  const { userId, session } = principal;
  const rows = await selectLiveSessions(context.pool, userId, context.settings.authSessionInactivitySeconds);
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
