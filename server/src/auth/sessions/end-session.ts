import { inTransaction } from "../../db/index.ts";
import { authError } from "../auth-error.ts";
import type { AuthAnswer, AuthCall } from "../call.ts";
import { getPathId } from "../mfa/path-id.ts";
import type { AuthContext } from "../auth-context.ts";
import { lockUser } from "../users/sql/select-user.ts";
import { endSessions } from "./end-sessions.ts";
import { findSession } from "./sql/sessions.ts";

/** Signs out one device. A session of somebody else is not there, as far as the caller can tell. */
export async function endSession(context: AuthContext, { principal, params }: AuthCall): Promise<AuthAnswer> {
  if (principal.role !== "authenticated") throw authError("no_authorization");
  const { userId } = principal;
  const only = getPathId(params, "id", "session_id");
  await inTransaction(context.pool, async (client) => {
    // As everything that ends sessions: the user first.
    await lockUser(client, userId);
    const session = await findSession(client, only);
    if (session?.user_id !== userId) throw authError("session_not_found", "Session not found", { status: 404 });
    await endSessions(client, { userId, only });
  });
  return { status: 204 };
}
