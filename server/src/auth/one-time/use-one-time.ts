import { inTransaction, type Queryable } from "../../db/index.ts";
import { isBanned } from "../users/account-rules.ts";
import { withdrawIfRemoved } from "../users/withdraw-if-removed.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthCall } from "../call.ts";
import { type OneTimeRow, takeOneTime } from "../sql/one-time-tokens.ts";
import { lockUser } from "../sql/users.ts";
import type { UserRow } from "../sql/user-row.ts";
import { confirmEmail, confirmEmailChange, type UsedOneTime } from "./confirm-email.ts";
import { oneTimeError } from "./find-one-time.ts";

/** Uses the token up and applies it. `work` runs in the same transaction. */
export function useOneTime<T>(
  context: AuthContext,
  found: OneTimeRow,
  call: Pick<AuthCall, "address">,
  work: (client: Queryable, used: UsedOneTime) => Promise<T>,
): Promise<T> {
  return withdrawIfRemoved(context, found.user_id, () =>
    inTransaction(context.pool, async (client) => work(client, await apply(context, client, found, call))),
  );
}

/** Locks the user first, so that tokens of one user are applied in turn. */
async function apply(
  context: AuthContext,
  client: Queryable,
  found: OneTimeRow,
  { address }: Pick<AuthCall, "address">,
): Promise<UsedOneTime> {
  const user = await lockUser(client, found.user_id);
  const token = await takeOneTime(client, found.id);
  if (user === null || token === null || token.relates_to !== addressOf(user, token)) throw oneTimeError();
  if (isBanned(context, user)) throw authError("user_banned");
  switch (token.kind) {
    case "email_change_current":
    case "email_change_new":
      return confirmEmailChange(context, client, { user, kind: token.kind, address });
    case "confirmation":
    case "invite":
      return { user: await confirmEmail(context, client, { user, isPasswordTrusted: true, address }) };
    case "magiclink":
    case "recovery": {
      const isPasswordTrusted = token.is_by_service_role && user.email_confirmed_at !== null;
      return { user: await confirmEmail(context, client, { user, isPasswordTrusted, address }) };
    }
    case "reauthentication":
      throw oneTimeError();
  }
}

/** A token proves an address only while the user has it. */
function addressOf(user: UserRow, token: OneTimeRow): string | null {
  return token.kind === "email_change_new" ? user.new_email : user.email;
}
