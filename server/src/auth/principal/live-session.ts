import pg from "pg";
import {
  insufficientScopeError,
  isPortal,
  keyNotAllowedError,
  portalError,
  type Principal,
  type UserPrincipal,
} from "../../db/index.ts";
import type { AppError } from "../../errors/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { type AuthErrorCode, authError } from "../auth-error.ts";
import { messageSignatureError, signatureRequiredError } from "../signature-errors.ts";
import { type Liveness, type SelectLiveness, selectLiveness } from "../sql/liveness.ts";
import { invalidKeyError } from "../user-keys/invalid-key-error.ts";

type EndedSessionCode = Extract<AuthErrorCode, "session_not_found" | "user_not_found" | "user_banned">;

export interface LivenessContext extends Pick<AuthContext, "pool" | "clock"> {
  readonly settings: Pick<AuthContext["settings"], "authSessionIdleTtlSeconds">;
}

/**
 * A token can outlive its session: a sign-out, a ban or a deletion on any node applies from the next request on. A token
 * without a session, which only an imported key can have signed, is valid while its user exists.
 */
export async function requireLiveSession(
  { pool, clock, settings }: LivenessContext,
  principal: Pick<UserPrincipal, "userId" | "session" | "scopes" | "client">,
  select: SelectLiveness = selectLiveness,
): Promise<Liveness> {
  const { userId, session } = principal;
  const liveness = await select(pool, {
    userId,
    sessionId: session?.sessionId ?? null,
    now: clock.now(),
    inactivitySeconds: session?.inactivitySeconds ?? settings.authSessionIdleTtlSeconds,
  });
  if (liveness === null) throw endedSessionError("user_not_found", principal);
  if (liveness.is_banned) throw endedSessionError("user_banned", principal);
  if (!liveness.has_session) throw endedSessionError("session_not_found", principal);
  return liveness;
}

/** SQLSTATEs that private.require_live_session raises. */
const ENDED_SESSION_STATES: ReadonlyMap<string | undefined, EndedSessionCode> = new Map([
  ["SB001", "session_not_found"],
  ["SB002", "user_not_found"],
  ["SB003", "user_banned"],
]);

/** SQLSTATE that private.reject_unsigned_request raises. */
const UNSIGNED_STATE = "SB004";
/** SQLSTATE that private.require_second_factor raises. */
const SECOND_FACTOR_STATE = "SB005";
/** SQLSTATE that private.require_message_signature raises. */
const NO_MESSAGE_SIGNATURE_STATE = "SB006";

/** SQLSTATEs that the rules of API keys raise: private.reject_scope and private.require_person. */
const SCOPE_STATE = "SB007";
const PERSON_STATE = "SB008";

/** Translates the errors of the scope statement and of the rules of API keys; returns every other error unchanged. */
export function translateScopeError(error: unknown, principal: Pick<Principal, "scopes" | "client"> = {}): unknown {
  if (!(error instanceof pg.DatabaseError)) return error;
  if (error.code === UNSIGNED_STATE) return signatureRequiredError();
  if (error.code === SECOND_FACTOR_STATE) return secondFactorError();
  if (error.code === NO_MESSAGE_SIGNATURE_STATE) return messageSignatureError("REQUIRED");
  if ((error.code === SCOPE_STATE || error.code === PERSON_STATE) && isPortal(principal)) return portalError(error);
  if (error.code === SCOPE_STATE) return insufficientScopeError(error.detail ?? "", principal, error);
  if (error.code === PERSON_STATE) return keyNotAllowedError(principal, error);
  const code = ENDED_SESSION_STATES.get(error.code);
  return code === undefined ? error : endedSessionError(code, principal);
}

/** Throws unless the session may be used for more than the calls that raise its level. */
export function requireSecondFactor(
  { session }: Pick<UserPrincipal, "session">,
  { lacks_second_factor: lacksSecondFactor }: Liveness,
): void {
  if (session?.isAal2Required === true && lacksSecondFactor) throw secondFactorError();
}

/** Whatever the operator requires for tables and functions. A token without a session states its own level. */
export function isSecondFactorMissing(
  { session, claims }: Pick<UserPrincipal, "session" | "claims">,
  { lacks_second_factor: lacksSecondFactor }: Liveness,
): boolean {
  return lacksSecondFactor && ((session?.sessionId ?? null) !== null || claims["aal"] !== "aal2");
}

function secondFactorError(): AppError {
  return authError("insufficient_aal", SECOND_FACTOR_MESSAGE, { status: 403 });
}

const SECOND_FACTOR_MESSAGE =
  "This account has a second factor: verify it first (POST /auth/v1/factors/{id}/challenge, then /verify, or /auth/v1/factors/recovery-codes/verify)";

/** A presented token or key is answered with 401, whatever status the code has elsewhere. */
function endedSessionError(code: EndedSessionCode, principal: Pick<Principal, "scopes" | "client">): AppError {
  const isKey = principal.scopes !== undefined;
  if (isKey && code === "session_not_found") return invalidKeyError(principal.client !== undefined);
  return authError(code, undefined, { status: 401 });
}
