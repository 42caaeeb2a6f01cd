import { inTransaction, type Queryable } from "../../db/index.ts";
import { authError } from "../auth-error.ts";
import type { AuthResponse, AuthCall } from "../call.ts";
import type { AuthContext } from "../auth-context.ts";
import { deleteClientSessions } from "../sql/oauth-sessions.ts";
import { deleteSessions, type SessionSelection } from "../sql/sessions.ts";
import { lockUser } from "../sql/users.ts";
import { retryAfterDeadlock } from "../users/retry-after-deadlock.ts";

/** Administrators use it too, with the token of the user whom they sign out. */
export async function signOut(context: AuthContext, { principal, query, ...call }: AuthCall): Promise<AuthResponse> {
  if (principal.role !== "authenticated") throw authError("no_authorization");
  const { userId, session } = principal;
  const { lacksSecondFactor = false } = call;
  const which = chooseSessions(query["scope"] ?? "global", {
    userId,
    sessionId: session?.sessionId ?? null,
    lacksSecondFactor,
  });
  if (which === null) return { status: 204 };
  const end = async (client: Queryable): Promise<void> => {
    // Everything that deletes sessions locks the user first, so that two such transactions cannot deadlock.
    await lockUser(client, which.userId);
    await deleteSessions(client, which);
    // Everywhere means programs too; what they were given stays agreed to.
    if (which.only === undefined && which.except === undefined) await deleteClientSessions(client, which);
  };
  await retryAfterDeadlock(() => inTransaction(context.pool, end));
  return { status: 204 };
}

interface SigningOut {
  readonly userId: string;
  readonly sessionId: string | null;
  /** The session then ends only itself: a stolen password must not end the sessions of the owner. */
  readonly lacksSecondFactor: boolean;
}

function chooseSessions(scope: string, from: SigningOut): SessionSelection | null {
  const { userId, sessionId, lacksSecondFactor } = from;
  switch (scope) {
    case "":
    case "global":
      return lacksSecondFactor ? chooseSessions("local", from) : { userId };
    case "local":
      return sessionId === null ? null : { userId, only: sessionId };
    case "others":
      if (lacksSecondFactor) throw authError("insufficient_aal", undefined, { status: 403 });
      return sessionId === null ? { userId } : { userId, except: sessionId };
    default:
      throw authError("validation_failed", "scope must be one of global, local, others");
  }
}
