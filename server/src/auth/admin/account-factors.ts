import { inTransaction } from "../../db/index.ts";
import { authError } from "../auth-error.ts";
import type { AuthResponse, AuthCall } from "../call.ts";
import { getPathId } from "../parse-call.ts";
import { lockFactor, selectFactors } from "../sql/mfa-factors.ts";
import { removeFactor } from "../mfa/unenrol-factor.ts";
import type { AuthContext } from "../auth-context.ts";
import { renderFactor } from "../users/render-user.ts";
import { lockUser } from "../sql/users.ts";
import { getAccount } from "./read-accounts.ts";

export async function listAccountFactors(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const factors = await inTransaction(context.pool, async (client) => {
    const { id } = await getAccount(client, call);
    return selectFactors(client, [id]);
  });
  return { status: 200, body: factors.map(renderFactor) };
}

/** Lets users in again who have lost their authenticator. */
export async function removeAccountFactor(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const userId = getPathId(call.params, "id", "user_id");
  const factorId = getPathId(call.params, "factorId", "factor_id");
  const factor = await inTransaction(context.pool, async (client) => {
    if ((await lockUser(client, userId)) === null) throw authError("user_not_found");
    const found = await lockFactor(client, userId, factorId);
    if (found === null) throw authError("mfa_factor_not_found");
    await removeFactor(client, found);
    return found;
  });
  return { status: 200, body: renderFactor(factor) };
}
