import * as z from "zod";
import { inTransaction } from "../../db/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthCall, AuthResponse } from "../call.ts";
import { lockPrincipal } from "../mfa/lock-principal.ts";
import { getPathId, parseBody } from "../parse-call.ts";
import { requireClientProof } from "../sessions/recent-proof.ts";
import { type CredentialRow, deletePasskey, renamePasskey, selectCredentials } from "../sql/webauthn-credentials.ts";
import { recordChange } from "../users/record-change.ts";

export const PASSKEY_BODY = z.object({
  friendly_name: z
    .string()
    .trim()
    .min(1)
    .max(120)
    .refine((name) => !/\p{Cc}/u.test(name), "must not hold control characters"),
});

/** GET /passkeys */
export async function listPasskeys(context: AuthContext, { principal }: AuthCall): Promise<AuthResponse> {
  if (principal.role !== "authenticated") throw authError("no_authorization");
  return { status: 200, body: (await selectCredentials(context.pool, principal.userId, "passkey")).map(renderPasskey) };
}

/** PATCH /passkeys/:id */
export async function updatePasskey(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const { principal, params } = call;
  if (principal.role !== "authenticated") throw authError("no_authorization");
  const id = getPathId(params, "id", "passkey_id");
  const { friendly_name: name } = parseBody(PASSKEY_BODY, call);
  const renamed = await renamePasskey(context.pool, { userId: principal.userId, id, name });
  if (renamed === null) throw authError("webauthn_credential_not_found");
  return { status: 200, body: renderPasskey(renamed) };
}

/** DELETE /passkeys/:id */
export async function removePasskey(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const id = getPathId(call.params, "id", "passkey_id");
  await inTransaction(context.pool, async (client) => {
    const { user, session } = await lockPrincipal(client, call);
    requireClientProof(context, { user, session }, "Removing a passkey");
    if (!(await deletePasskey(client, user.id, id))) throw authError("webauthn_credential_not_found");
    const { address } = call;
    await recordChange(context, client, { action: "passkey_removed", user, sessionId: session.id, address });
  });
  return { status: 204 };
}

/** Renders the passkey for clients, which expect absent members in place of null. */
export function renderPasskey(row: CredentialRow): Readonly<Record<string, unknown>> {
  return {
    id: row.id,
    friendly_name: row.friendly_name ?? undefined,
    created_at: row.created_at,
    last_used_at: row.last_used_at ?? undefined,
  };
}
