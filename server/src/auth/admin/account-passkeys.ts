import { inTransaction } from "../../db/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthCall, AuthResponse } from "../call.ts";
import { getPathId } from "../parse-call.ts";
import { renderPasskey } from "../passkeys/own-passkeys.ts";
import { deletePasskey, selectCredentials } from "../sql/webauthn-credentials.ts";
import { getAccount } from "./read-accounts.ts";

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
