import { authError } from "../auth-error.ts";
import type { AuthResponse, AuthCall } from "../call.ts";
import { getPathId } from "../parse-call.ts";
import type { AuthContext } from "../auth-context.ts";
import { selectIdentities } from "../sql/identities.ts";

/** Identity linking is not supported. The errors are the ones that clients know. */
export async function unlinkIdentity(context: AuthContext, { principal, params }: AuthCall): Promise<AuthResponse> {
  if (principal.role !== "authenticated") throw authError("no_authorization");
  getPathId(params, "id", "identity_id");
  const identities = await selectIdentities(context.pool, [principal.userId]);
  throw authError(identities.length <= 1 ? "single_identity_not_deletable" : "manual_linking_disabled");
}
