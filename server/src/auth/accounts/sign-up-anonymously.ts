import { inTransaction } from "../../db/index.ts";
import { authError } from "../auth-error.ts";
import type { AuthAnswer, AuthCall } from "../call.ts";
import type { AuthContext } from "../auth-context.ts";
import { issueSession } from "../sessions/issue-session.ts";
import { insertUser } from "../users/sql/insert-user.ts";
import { withoutClaims } from "./create-user.ts";
import type { Metadata } from "./metadata.ts";

/** A user whom nobody can find again without the session, until an address is given. */
export async function signUpAnonymously(
  context: AuthContext,
  call: AuthCall,
  userMetadata: Metadata,
): Promise<AuthAnswer> {
  if (!context.settings.authAnonymousEnabled) throw authError("anonymous_provider_disabled");
  const session = await inTransaction(context.pool, async (client) => {
    const user = await insertUser(client, {
      email: null,
      emailConfirmedAt: null,
      passwordHash: null,
      appMetadata: {},
      userMetadata: withoutClaims(userMetadata),
      isAnonymous: true,
    });
    return issueSession(context, client, { user, method: "anonymous", call });
  });
  return { status: 200, body: session };
}
