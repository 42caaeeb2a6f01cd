import type { Queryable } from "../../db/index.ts";
import { authError } from "../auth-error.ts";
import type { AuthCall } from "../call.ts";
import { lockSession, type SessionRow } from "../sql/sessions.ts";
import { lockUser } from "../sql/users.ts";
import type { UserRow } from "../sql/user-row.ts";

/** The rows of a user principal. */
export interface LockedPrincipal {
  readonly user: UserRow;
  readonly session: SessionRow;
}

/**
 * Locks the user and the session until the transaction ends, always in this order, so that changes to the factors or
 * sessions of one user run one after the other. The session's level is the row's; the token may be an hour old.
 */
export async function lockPrincipal(
  client: Queryable,
  { principal }: Pick<AuthCall, "principal">,
): Promise<LockedPrincipal> {
  if (principal.role !== "authenticated") throw authError("no_authorization");
  const user = await lockUser(client, principal.userId);
  if (user === null) throw authError("user_not_found", "User from sub claim in JWT does not exist", { status: 401 });
  const sessionId = principal.session?.sessionId ?? null;
  const session = sessionId === null ? null : await lockSession(client, sessionId);
  if (session === null || session.user_id !== user.id) throw authError("session_not_found");
  return { user, session };
}
