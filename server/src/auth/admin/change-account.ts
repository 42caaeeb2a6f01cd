import { inTransaction, type Queryable } from "../../db/index.ts";
import { EMAIL_APP_METADATA, emailClaims, translateUniqueViolation } from "../users/create-user.ts";
import { mergeMetadata } from "../users/metadata.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthResponse, AuthCall } from "../call.ts";
import { deletePendingFlows, NO_EMAIL_CHANGE } from "../one-time/issue-one-time.ts";
import { parseAuthBody, getPathId } from "../parse-call.ts";
import { upsertEmailIdentity } from "../sql/identities.ts";
import { disconnectPrograms } from "../sql/oauth-consents.ts";
import { deleteClientSessions } from "../sql/oauth-sessions.ts";
import { deleteSessions } from "../sql/sessions.ts";
import { lockUser, selectWholeUser, type UserChanges, updateUser } from "../sql/users.ts";
import { renderUser } from "../users/render-user.ts";
import type { UserRow, WholeUser } from "../sql/user-row.ts";
import { retryAfterDeadlock } from "../users/retry-after-deadlock.ts";
import {
  ACCOUNT_BODY,
  type AccountBody,
  type AccountInput,
  hashGivenPassword,
  parseAccountInput,
} from "./account-body.ts";

interface AccountChanges extends AccountInput {
  readonly passwordHash: string | undefined;
}

/** Changes by administrators apply at once and need no confirmation by mail. */
export async function changeAccount(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const id = getPathId(call.params, "id", "user_id");
  const body = parseAuthBody(ACCOUNT_BODY, call);
  const input = { ...parseAccountInput(context, body), passwordHash: await hashGivenPassword(context, body) };
  const change = async (client: Queryable): Promise<WholeUser> => {
    const row = await lockUser(client, id);
    if (row === null) throw authError("user_not_found");
    const changed = await updateUser(client, id, planChanges(context, row, body, input)).catch((error: unknown) => {
      throw translateUniqueViolation(error);
    });
    if (changed.email !== null && (changed.email !== row.email || body.email_confirm === true)) {
      await upsertEmailIdentity(client, id, changed.email, changed.email_confirmed_at !== null);
    }
    await endSessionsAndFlows(client, id, input);
    return selectWholeUser(client, changed);
  };
  // The runs that programs have started are cancelled with their sessions.
  const user = await retryAfterDeadlock(() => inTransaction(context.pool, change));
  return { status: 200, body: renderUser(user) };
}

function planChanges(context: AuthContext, row: UserRow, body: AccountBody, input: AccountChanges): UserChanges {
  const email = input.email ?? row.email;
  const isConfirming = body.email_confirm === true && email !== null;
  const isNewEmail = input.email !== undefined && input.email !== row.email;
  const confirmedAt = isConfirming && (isNewEmail || row.email_confirmed_at === null) ? context.clock.now() : null;
  const isConfirmed = confirmedAt !== null || row.email_confirmed_at !== null;
  const userMetadata = body.user_metadata ? mergeMetadata(row.user_metadata, body.user_metadata) : row.user_metadata;
  const appMetadata = body.app_metadata ? mergeMetadata(row.app_metadata, body.app_metadata) : row.app_metadata;
  return {
    ...(input.role !== undefined && { role: input.role }),
    ...(input.passwordHash !== undefined && { password_hash: input.passwordHash }),
    ...(input.bannedUntil !== undefined && { banned_until: input.bannedUntil }),
    ...(confirmedAt !== null && { email_confirmed_at: confirmedAt }),
    ...(isConfirming && { proven_email: email }),
    // A pending change of address would otherwise overwrite this one later.
    ...((isNewEmail || isAccessChanged(input)) && NO_EMAIL_CHANGE),
    ...(isNewEmail && { email }),
    ...(row.is_anonymous && isConfirming && { is_anonymous: false }),
    user_metadata:
      email !== null && (isNewEmail || confirmedAt !== null)
        ? { ...userMetadata, ...emailClaims(row.id, email, isConfirmed) }
        : userMetadata,
    app_metadata: row.email === null && isNewEmail ? { ...appMetadata, ...EMAIL_APP_METADATA } : appMetadata,
  };
}

/** Ends sessions and pending flows that the old password or the account before the ban gave access to. */
async function endSessionsAndFlows(client: Queryable, userId: string, input: AccountChanges): Promise<void> {
  if (isAccessChanged(input)) {
    await deleteSessions(client, { userId });
    await disconnectPrograms(client, userId);
  }
  if (isAccessChanged(input) || input.email !== undefined) await deletePendingFlows(client, userId);
}

function isAccessChanged({ passwordHash, bannedUntil }: AccountChanges): boolean {
  return passwordHash !== undefined || bannedUntil instanceof Date;
}

/** Signs a user out everywhere, without a token of that user. */
export async function signOutAccount(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const userId = getPathId(call.params, "id", "user_id");
  const end = async (client: Queryable): Promise<void> => {
    if ((await lockUser(client, userId)) === null) throw authError("user_not_found");
    await deleteSessions(client, { userId });
    await deleteClientSessions(client, { userId });
  };
  await retryAfterDeadlock(() => inTransaction(context.pool, end));
  return { status: 204 };
}
