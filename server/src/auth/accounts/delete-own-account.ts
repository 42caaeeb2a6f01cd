import { inTransaction } from "../../db/index.ts";
import { retryAfterDeadlock } from "../admin/remove-account.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthCall, AuthResponse } from "../call.ts";
import { lockPrincipal } from "../mfa/lock-principal.ts";
import { hasVerifiedFactor } from "../sql/mfa-factors.ts";
import type { SessionRow } from "../sql/sessions.ts";
import { deleteAccount } from "../sql/users.ts";

const RECENT_SECONDS = 15 * 60;

/** DELETE /user. Needs a recent sign-in, with the second factor if there is one, so that a stolen token is not enough. */
export async function deleteOwnAccount(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const { principal } = call;
  if (principal.role !== "authenticated") throw authError("no_authorization");
  const withdraw = await context.prepareWithdrawal(principal.userId);
  await retryAfterDeadlock(() =>
    inTransaction(context.pool, async (client) => {
      const { user, session } = await lockPrincipal(client, call);
      if (session.aal !== "aal2" && (await hasVerifiedFactor(client, user.id))) {
        throw authError("insufficient_aal", "AAL2 session is required to delete the account when MFA is enabled.");
      }
      if (!isRecent(session, context.clock.now())) {
        throw authError(
          "reauthentication_needed",
          "The last sign-in is too long ago: sign in again to delete the account",
        );
      }
      await deleteAccount(client, user.id);
    }),
  );
  withdraw();
  return { status: 204 };
}

/** The oldest proof counts, which is the sign-in: whoever has the token can enrol a second factor and prove that at any time. */
function isRecent({ amr }: SessionRow, now: Date): boolean {
  const signedInAt = amr.length === 0 ? 0 : Math.min(...amr.map(({ timestamp }) => timestamp));
  return now.getTime() / 1000 - signedInAt <= RECENT_SECONDS;
}
