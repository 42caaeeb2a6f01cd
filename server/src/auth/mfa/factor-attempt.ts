import { inTransaction } from "../../db/index.ts";
import type { AuthContext } from "../auth-context.ts";
import type { AuthCall } from "../call.ts";
import { readDecision } from "../hooks/read-decision.ts";
import { rejectAttempt } from "../sessions/check-attempt.ts";
import { finishSession, type IssuedSession } from "../sessions/issue-session.ts";
import type { SessionBody } from "../sessions/render-session.ts";
import { type Queryable, runTrial } from "../sql/query.ts";
import type { FactorRow } from "../sql/user-row.ts";

/** Null: the code is wrong. What was counted for it is committed. */
interface CheckedCode {
  readonly factor: Pick<FactorRow, "id" | "user_id" | "factor_type">;
  readonly session: IssuedSession | null;
}

type CheckCode = (client: Queryable) => Promise<CheckedCode>;

/**
 * Checks a code and raises the session; null when the code is wrong. With a hook, a right code is checked twice: the hook learns of the
 * result outside of the transaction and before it has an effect.
 */
export async function attemptFactor(
  context: AuthContext,
  { address }: Pick<AuthCall, "address">,
  check: CheckCode,
): Promise<SessionBody | null> {
  const hook = context.hooks.mfa_verification_attempt;
  if (hook !== null) {
    // A wrong code stays counted.
    const isKept = (checked: CheckedCode): boolean => checked.session === null;
    const { factor, session } = await inTransaction(context.pool, (client) =>
      runTrial(client, isKept, () => check(client)),
    );
    const { id, user_id: userId, factor_type } = factor;
    const event = { user_id: userId, factor_id: id, factor_type, valid: session !== null };
    const decision = await hook.ask({ event, address, read: readDecision });
    if (decision?.isRejected === true)
      await rejectAttempt(context, userId, { ...decision, shouldLogOut: true }, "mfa_verification_rejected");
    if (session === null) return null;
  }
  const { session } = await inTransaction(context.pool, check);
  return session === null ? null : finishSession(context, session);
}
