import { inTransaction } from "../../db/index.ts";
import { authError } from "../auth-error.ts";
import type { AuthAnswer, AuthCall } from "../call.ts";
import { getPathId } from "../mfa/path-id.ts";
import type { AuthContext } from "../auth-context.ts";
import { endSessions } from "../sessions/end-sessions.ts";
import { lockUser } from "../users/sql/select-user.ts";

/** Signs a user out everywhere without a token of theirs, which is what `POST /logout` would need. */
export async function signOutAccount(context: AuthContext, call: AuthCall): Promise<AuthAnswer> {
  const userId = getPathId(call.params, "id", "user_id");
  await inTransaction(context.pool, async (client) => {
    if ((await lockUser(client, userId)) === null) throw authError("user_not_found");
    await endSessions(client, { userId });
  });
  return { status: 204 };
}
