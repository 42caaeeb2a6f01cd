import type { AppError } from "../../errors/index.ts";
import { type AuthErrorCode, authError } from "../auth-error.ts";
import type { AuthContext } from "../auth-context.ts";
import type { UserPrincipal } from "./principal.ts";
import { type Liveness, selectLiveness } from "./sql/select-liveness.ts";

export type LifelessCode = Extract<AuthErrorCode, "session_not_found" | "user_not_found" | "user_banned">;

export interface LivenessContext extends Pick<AuthContext, "pool" | "clock"> {
  readonly settings: Pick<AuthContext["settings"], "authSessionInactivitySeconds">;
}

/**
 * A token may outlive what it speaks for: a sign-out, a ban or a deletion on any node counts from the next request on.
 * A token without a session, which only an imported key can have signed, is good while its user is.
 */
export async function requireLiveSession(
  { pool, clock, settings }: LivenessContext,
  { userId, sessionId }: Pick<UserPrincipal, "userId" | "sessionId">,
): Promise<Liveness> {
  const liveness = await selectLiveness(pool, {
    userId,
    sessionId,
    now: clock.now(),
    inactivitySeconds: settings.authSessionInactivitySeconds,
  });
  if (liveness === null) throw lifelessError("user_not_found");
  if (liveness.is_banned) throw lifelessError("user_banned");
  if (!liveness.has_session) throw lifelessError("session_not_found");
  return liveness;
}

/** 401 for all of them here, where a token is presented, whatever the status of the same case elsewhere. */
export function lifelessError(code: LifelessCode): AppError {
  return authError(code, undefined, { status: 401 });
}
