import { authError } from "../auth-error.ts";
import type { AuthCall } from "../call.ts";
import type { Queryable } from "../auth-context.ts";
import type { SessionRow } from "../sessions/session-row.ts";
import { lockSession } from "../sessions/sql/sessions.ts";
import { lockUser } from "../users/sql/select-user.ts";
import type { UserRow } from "../users/user-row.ts";

export interface Caller {
  readonly user: UserRow;
  readonly session: SessionRow;
}

/**
 * The user and the session that call, held until the transaction ends, always in this order: whoever changes factors
 * or sessions of one user waits for the other. The session's level is the row's; the token may be an hour old.
 */
export async function lockCaller(client: Queryable, { principal }: Pick<AuthCall, "principal">): Promise<Caller> {
  if (principal.kind !== "user") throw authError("no_authorization");
  const user = await lockUser(client, principal.userId);
  if (user === null) throw authError("user_not_found", "User from sub claim in JWT does not exist", { status: 401 });
  const session = principal.sessionId === null ? null : await lockSession(client, principal.sessionId);
  if (session === null || session.user_id !== user.id) throw authError("session_not_found");
  return { user, session };
}
