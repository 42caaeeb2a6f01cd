import { inTransaction, type Queryable } from "../../db/index.ts";
import { recordChange } from "../users/record-change.ts";
import { authError } from "../auth-error.ts";
import type { AuthResponse, AuthCall } from "../call.ts";
import type { AuthContext } from "../auth-context.ts";
import { lockPrincipal } from "./lock-principal.ts";
import { getPathId } from "../parse-call.ts";
import { requireClientProof } from "../sessions/recent-proof.ts";
import { deleteFactor, hasVerifiedFactor, lockFactor } from "../sql/mfa-factors.ts";
import { lockRecoveryFactor } from "../sql/mfa-recovery-codes.ts";
import { downgradeSessions } from "../sql/sessions.ts";
import type { FactorRow } from "../sql/user-row.ts";

export async function unenrolFactor(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const id = getPathId(call.params, "id", "factor_id");
  await inTransaction(context.pool, async (client) => {
    const { user, session } = await lockPrincipal(client, call);
    const factor = await lockFactor(client, user.id, id);
    if (factor === null) throw authError("mfa_factor_not_found");
    if (factor.status === "verified") {
      requireClientProof(context, { user, session }, "Removing a factor");
      const { address } = call;
      await recordChange(context, client, { action: "factor_removed", user, sessionId: session.id, address });
    }
    await removeFactor(client, factor);
  });
  return { status: 200, body: { id } };
}

/**
 * Downgrades the sessions first: after the deletion they no longer reference the factor. Recovery codes are removed with
 * the last other factor, because nobody could get new ones.
 */
export async function removeFactor(client: Queryable, factor: Pick<FactorRow, "id" | "user_id">): Promise<void> {
  await downgradeSessions(client, factor.id);
  await deleteFactor(client, factor.id);
  if (await hasVerifiedFactor(client, factor.user_id)) return;
  const recovery = await lockRecoveryFactor(client, factor.user_id);
  if (recovery === null) return;
  await downgradeSessions(client, recovery.id);
  await deleteFactor(client, recovery.id);
}
