import { inTransaction } from "../../db/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthCall, AuthResponse } from "../call.ts";
import { removeFactor } from "../mfa/unenrol-factor.ts";
import { getPathId } from "../parse-call.ts";
import { renderPasskey } from "../passkeys/endpoints.ts";
import { lockFactor, selectFactors } from "../sql/mfa-factors.ts";
import { lockUser } from "../sql/users.ts";
import { deletePasskey, selectCredentials } from "../sql/webauthn-credentials.ts";
import { renderFactor } from "../users/render-user.ts";
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

export async function listAccountPasskeys(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const passkeys = await inTransaction(context.pool, async (client) =>
    selectCredentials(client, (await getAccount(client, call)).id, "passkey"),
  );
  return { status: 200, body: passkeys.map(renderPasskey) };
}

export async function removeAccountPasskey(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const passkeyId = getPathId(call.params, "passkeyId", "passkey_id");
  await inTransaction(context.pool, async (client) => {
    const { id } = await getAccount(client, call);
    if (!(await deletePasskey(client, id, passkeyId))) throw authError("webauthn_credential_not_found");
  });
  return { status: 204 };
}
