import * as z from "zod";
import { inTransaction, type Queryable } from "../../db/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthResponse, AuthCall } from "../call.ts";
import { deletePendingFlows } from "../one-time/issue-one-time.ts";
import { parseAuthBody, getPathId } from "../parse-call.ts";
import { deleteAuditEntriesOf } from "../sql/audit-log.ts";
import { deleteAuthorizationsOf } from "../sql/delete-authorizations-of.ts";
import { deleteIdentities } from "../sql/identities.ts";
import { deleteFactorsOf } from "../sql/mfa-factors.ts";
import { deleteSigningSecret } from "../sql/request-signing-secrets.ts";
import { disconnectPrograms } from "../sql/oauth-consents.ts";
import { deleteSessions } from "../sql/sessions.ts";
import { deleteUserKeysOf } from "../sql/user-keys.ts";
import { deletePasskeysOf } from "../sql/webauthn-credentials.ts";
import { clearProfile, deleteAccount, lockAccount, updateUser } from "../sql/users.ts";
import { switchOffWebhooks } from "../sql/webhooks.ts";
import { retryAfterDeadlock } from "../users/retry-after-deadlock.ts";

export const REMOVE_BODY = z.object({ should_soft_delete: z.boolean().default(false) });

export async function removeAccount(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const id = getPathId(call.params, "id", "user_id");
  const { should_soft_delete: isSoft } = parseAuthBody(REMOVE_BODY, call);
  const withdraw = await context.prepareWithdrawal(id);
  await retryAfterDeadlock(() =>
    inTransaction(context.pool, async (client) => {
      const user = await lockAccount(client, id);
      if (user === null) throw authError("user_not_found");
      if (!isSoft) await deleteAccount(client, id);
      else if (user.deleted_at === null) await emptyAccount(client, id, context.clock.now());
    }),
  );
  withdraw();
  return { status: 200, body: {} };
}

/**
 * A soft deletion keeps the id and everything that references it, and removes what identifies the user or grants
 * access, also that of the service at MCP servers. The user's data stays; their webhooks are disabled.
 */
async function emptyAccount(client: Queryable, id: string, now: Date): Promise<void> {
  await deleteSessions(client, { userId: id });
  await deleteUserKeysOf(client, id);
  await disconnectPrograms(client, id);
  await deletePendingFlows(client, id);
  await deleteIdentities(client, id);
  await deleteFactorsOf(client, id);
  await deletePasskeysOf(client, id);
  await deleteSigningSecret(client, id);
  await deleteAuditEntriesOf(client, id);
  await deleteAuthorizationsOf(client, id);
  await switchOffWebhooks(client, id, now);
  await clearProfile(client, id);
  await updateUser(client, id, {
    email: null,
    email_confirmed_at: null,
    proven_email: null,
    password_hash: null,
    new_email: null,
    email_change_confirmations: 0,
    invited_at: null,
    confirmation_sent_at: null,
    recovery_sent_at: null,
    email_change_sent_at: null,
    reauthentication_sent_at: null,
    app_metadata: {},
    user_metadata: {},
    deleted_at: now,
  });
}
