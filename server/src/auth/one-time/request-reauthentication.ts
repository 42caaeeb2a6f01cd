import { authError } from "../auth-error.ts";
import type { AuthAnswer, AuthCall } from "../call.ts";
import type { AuthContext } from "../auth-context.ts";
import { lockUser } from "../users/sql/select-user.ts";
import { inMailTransaction } from "./in-mail-transaction.ts";
import { sendReauthentication } from "./send-mail-flow.ts";

/** GET /reauthenticate: a code for the signed-in user, wanted before something that a stolen session must not do. */
export async function requestReauthentication(context: AuthContext, call: AuthCall): Promise<AuthAnswer> {
  const { principal } = call;
  if (principal.role !== "authenticated") throw authError("no_authorization");
  await inMailTransaction(context, async (client) => {
    const user = await lockUser(client, principal.userId);
    if (user === null) throw authError("user_not_found", undefined, { status: 401 });
    if (user.email === null) {
      throw authError("validation_failed", "Reauthentication requires the user to have an email or a phone number", {
        status: 422,
      });
    }
    await sendReauthentication(context, client, user);
  });
  return { status: 200, body: {} };
}
