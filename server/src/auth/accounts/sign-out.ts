import { inTransaction } from "../../db/index.ts";
import { authError } from "../auth-error.ts";
import type { AuthAnswer, AuthCall } from "../call.ts";
import type { AuthContext } from "../auth-context.ts";
import { deleteSessions, type WhichSessions } from "../sql/sessions.ts";
import { lockUser } from "../sql/users.ts";

/** Also how an administrator signs somebody out: with that user's own token. */
export async function signOut(context: AuthContext, { principal, query }: AuthCall): Promise<AuthAnswer> {
  if (principal.role !== "authenticated") throw authError("no_authorization");
  const which = chooseSessions(query["scope"] ?? "global", principal.userId, principal.session?.sessionId ?? null);
  if (which === null) return { status: 204 };
  await inTransaction(context.pool, async (client) => {
    // Everything that ends sessions takes the user first, so that two of them wait for each other instead of both.
    await lockUser(client, which.userId);
    await deleteSessions(client, which);
  });
  return { status: 204 };
}

function chooseSessions(scope: string, userId: string, sessionId: string | null): WhichSessions | null {
  switch (scope) {
    case "":
    case "global":
      return { userId };
    case "local":
      return sessionId === null ? null : { userId, only: sessionId };
    case "others":
      return sessionId === null ? { userId } : { userId, except: sessionId };
    default:
      throw authError("validation_failed", "scope must be one of global, local, others");
  }
}
