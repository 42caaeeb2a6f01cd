import { inTransaction } from "../../db/index.ts";
import { authError } from "../auth-error.ts";
import type { AuthResponse, AuthCall } from "../call.ts";
import type { AuthContext } from "../auth-context.ts";
import { deleteSessions, type SessionSelection } from "../sql/sessions.ts";
import { lockUser } from "../sql/users.ts";

/** Administrators use it too, with the token of the user whom they sign out. */
export async function signOut(context: AuthContext, { principal, query }: AuthCall): Promise<AuthResponse> {
  if (principal.role !== "authenticated") throw authError("no_authorization");
  const which = chooseSessions(query["scope"] ?? "global", principal.userId, principal.session?.sessionId ?? null);
  if (which === null) return { status: 204 };
  await inTransaction(context.pool, async (client) => {
    // Everything that deletes sessions locks the user first, so that two such transactions cannot deadlock.
    await lockUser(client, which.userId);
    await deleteSessions(client, which);
  });
  return { status: 204 };
}

function chooseSessions(scope: string, userId: string, sessionId: string | null): SessionSelection | null {
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
