import { inTransaction, type Queryable } from "../../db/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthResponse, AuthCall } from "../call.ts";
import { getPathId } from "../parse-call.ts";
import { deleteChallenges, insertChallenge } from "../sql/mfa-challenges.ts";
import { hasVerifiedFactor, lockFactor, touchChallenged } from "../sql/mfa-factors.ts";
import type { FactorRow } from "../sql/user-row.ts";
import { CHALLENGE_MS } from "../webauthn/relying-party.ts";
import { openKeyChallenge } from "./key-factor.ts";
import { type LockedPrincipal, lockPrincipal } from "./lock-principal.ts";

/** Wrong codes or responses per challenge. */
export const MAX_CHALLENGE_FAILURES = 5;

/** And per factor over all its challenges. They count for this long after a challenge has expired. */
export const MAX_FACTOR_FAILURES = 10;
export const FAILURE_MEMORY_MS = 300 * 1000;

/** Starts a challenge, during which one code or response can be verified. */
export async function challengeFactor(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const factorId = getPathId(call.params, "id", "factor_id");
  const now = context.clock.now();
  const { challenge, factor, webauthn } = await inTransaction(context.pool, async (client) => {
    const locked = await lockPrincipal(client, call);
    const { user } = locked;
    const factor = await lockAuthenticator(client, locked, factorId);
    await deleteChallenges(client, factor.id, new Date(now.getTime() - FAILURE_MEMORY_MS));
    await touchChallenged(client, factor.id, now);
    const key = factor.factor_type === "webauthn" ? await openKeyChallenge(context, client, { user, factor }) : null;
    const challenge = await insertChallenge(client, {
      factor_id: factor.id,
      ip: call.address,
      challenge_hash: key?.hash ?? null,
      expires_at: new Date(now.getTime() + CHALLENGE_MS),
      created_at: now,
    });
    return { challenge, factor, webauthn: key?.webauthn };
  });
  const expiresAt = Math.floor(challenge.expires_at.getTime() / 1000);
  return { status: 200, body: { id: challenge.id, type: factor.factor_type, expires_at: expiresAt, webauthn } };
}

/**
 * Locks a factor that has challenges. Recovery codes have a call of their own and no challenge. A further factor is finished like it was
 * begun, with the second factor: whoever has the password alone would otherwise put an authenticator of their own into it.
 */
export async function lockAuthenticator(
  client: Queryable,
  { user, session }: LockedPrincipal,
  id: string,
): Promise<FactorRow> {
  const factor = await lockFactor(client, user.id, id);
  if (factor === null) throw authError("mfa_factor_not_found");
  if (factor.factor_type === "recovery_code")
    throw authError("validation_failed", "Recovery codes are verified with POST /factors/recovery-codes/verify");
  const isFurther = factor.status === "unverified" && (await hasVerifiedFactor(client, user.id));
  if (isFurther && session.aal !== "aal2") throw authError("insufficient_aal");
  return factor;
}
