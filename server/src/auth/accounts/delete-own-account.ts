import { inTransaction } from "../../db/index.ts";
import { retryAfterDeadlock } from "../users/retry-after-deadlock.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthCall, AuthResponse } from "../call.ts";
import { lockPrincipal } from "../mfa/lock-principal.ts";
import { deleteAccount } from "../sql/users.ts";
import { recordChange } from "../users/record-change.ts";

/** DELETE /user */
export async function deleteOwnAccount(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const { principal, address } = call;
  if (principal.role !== "authenticated") throw authError("no_authorization");
  const withdraw = await context.prepareWithdrawal(principal.userId);
  await retryAfterDeadlock(() =>
    inTransaction(context.pool, async (client) => {
      const { user, session } = await lockPrincipal(client, call);
      await recordChange(context, client, { action: "account_deleted", user, sessionId: session.id, address });
      await deleteAccount(client, user.id);
    }),
  );
  withdraw();
  return { status: 204 };
}
