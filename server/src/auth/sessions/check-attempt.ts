import { inTransaction, type Queryable } from "../../db/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import { type HookDecision, readDecision } from "../hooks/hook.ts";
import { deleteClientSessions } from "../sql/oauth-sessions.ts";
import { deleteSessions } from "../sql/sessions.ts";
import { lockUser } from "../sql/users.ts";
import { retryAfterDeadlock } from "../users/retry-after-deadlock.ts";

interface PasswordAttempt {
  /** Null means that the address has no account. */
  readonly userId: string | null;
  readonly isValid: boolean;
  /** The client's. */
  readonly address: string;
}

/** Asks the hook about an attempt, whether the password was right or wrong. Throws when it rejects the attempt. */
export async function checkPasswordAttempt(
  context: Pick<AuthContext, "hooks" | "pool">,
  { userId, isValid, address }: PasswordAttempt,
): Promise<void> {
  const hook = context.hooks.password_verification_attempt;
  if (hook === null) return;
  // Otherwise the time that the hook takes would reveal which addresses have an account.
  if (userId === null) return hook.imitate();
  const decision = await hook.ask({ event: { user_id: userId, valid: isValid }, address, read: readDecision });
  if (decision?.isRejected === true)
    await rejectAttempt(context, userId, { ...decision, message: decision.message ?? MESSAGE }, "invalid_credentials");
}

const MESSAGE = "Further password verification attempts will be rejected.";

export async function rejectAttempt(
  { pool }: Pick<AuthContext, "pool">,
  userId: string,
  { message, shouldLogOut }: HookDecision,
  code: "invalid_credentials" | "mfa_verification_rejected",
): Promise<never> {
  if (shouldLogOut) {
    const end = async (client: Queryable): Promise<void> => {
      await lockUser(client, userId);
      await deleteSessions(client, { userId });
      await deleteClientSessions(client, { userId });
    };
    await retryAfterDeadlock(() => inTransaction(pool, end));
  }
  throw authError(code, message);
}
