import { inTransaction } from "../../db/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthCall, AuthResponse } from "../call.ts";
import { lockPrincipal } from "../mfa/lock-principal.ts";
import { getPathId } from "../parse-call.ts";
import { requireClientProof } from "../sessions/recent-proof.ts";
import { deleteIdentity, selectIdentities } from "../sql/identities.ts";
import { updateUser } from "../sql/users.ts";
import { recordChange } from "../users/record-change.ts";
import { listProviders } from "./admit-identity.ts";

/** DELETE /user/identities/:id. The password belongs to the identity `email`. */
export async function unlinkIdentity(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const id = getPathId(call.params, "id", "identity_id");
  await inTransaction(context.pool, async (client) => {
    const { user, session } = await lockPrincipal(client, call);
    requireClientProof(context, { user, session }, "Unlinking an identity");
    const identities = await selectIdentities(client, [user.id]);
    const identity = identities.find((row) => row.id === id);
    if (identity === undefined) throw authError("identity_not_found");
    if (identities.length === 1) throw authError("single_identity_not_deletable");
    const { address } = call;
    await deleteIdentity(client, id);
    await recordChange(context, client, { action: "identity_unlinked", user, sessionId: session.id, address });
    await updateUser(client, user.id, {
      app_metadata: await listProviders(client, user),
      ...(identity.provider === "email" && { password_hash: null }),
    });
  });
  context.mailWakeUp.trigger();
  return { status: 200, body: {} };
}
