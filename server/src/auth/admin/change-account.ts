import { inTransaction } from "../../db/index.ts";
import { EMAIL_APP_METADATA, emailClaims, translateTaken } from "../accounts/create-user.ts";
import { mergeMetadata } from "../accounts/metadata.ts";
import type { AuthContext, Queryable } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthAnswer, AuthCall } from "../call.ts";
import { dropOpenFlows, NO_EMAIL_CHANGE } from "../one-time/issue-one-time.ts";
import { parseBody, getPathId } from "../parse-call.ts";
import { upsertEmailIdentity } from "../sql/identities.ts";
import { deleteSessions } from "../sql/sessions.ts";
import { lockUser, selectWholeUser, type UserChanges, updateUser } from "../sql/users.ts";
import { renderUser } from "../users/render-user.ts";
import type { UserRow } from "../users/user-row.ts";
import { ACCOUNT_BODY, type AccountBody, type AccountWishes, hashWished, parseWishes } from "./account-body.ts";

interface Wishes extends AccountWishes {
  readonly passwordHash: string | undefined;
}

/** What an administrator changes holds at once: nothing is confirmed by mail. */
export async function changeAccount(context: AuthContext, call: AuthCall): Promise<AuthAnswer> {
  const id = getPathId(call.params, "id", "user_id");
  const body = parseBody(ACCOUNT_BODY, call);
  const wishes = { ...parseWishes(context, body), passwordHash: await hashWished(context, body) };
  const user = await inTransaction(context.pool, async (client) => {
    const row = await lockUser(client, id);
    if (row === null) throw authError("user_not_found");
    const changed = await updateUser(client, id, planChanges(context, row, body, wishes)).catch((error: unknown) => {
      throw translateTaken(error);
    });
    if (changed.email !== null && (changed.email !== row.email || body.email_confirm === true)) {
      await upsertEmailIdentity(client, id, changed.email, changed.email_confirmed_at !== null);
    }
    await endWhatIsStale(client, id, wishes);
    return selectWholeUser(client, changed);
  });
  return { status: 200, body: renderUser(user) };
}

function planChanges(context: AuthContext, row: UserRow, body: AccountBody, wishes: Wishes): UserChanges {
  const email = wishes.email ?? row.email;
  const isConfirming = body.email_confirm === true && email !== null;
  const isNewEmail = wishes.email !== undefined && wishes.email !== row.email;
  const confirmedAt = isConfirming && (isNewEmail || row.email_confirmed_at === null) ? context.clock.now() : null;
  const isConfirmed = confirmedAt !== null || row.email_confirmed_at !== null;
  const userMetadata = body.user_metadata ? mergeMetadata(row.user_metadata, body.user_metadata) : row.user_metadata;
  const appMetadata = body.app_metadata ? mergeMetadata(row.app_metadata, body.app_metadata) : row.app_metadata;
  return {
    ...(wishes.role !== undefined && { role: wishes.role }),
    ...(wishes.passwordHash !== undefined && { password_hash: wishes.passwordHash }),
    ...(wishes.bannedUntil !== undefined && { banned_until: wishes.bannedUntil }),
    ...(confirmedAt !== null && { email_confirmed_at: confirmedAt }),
    // A change that the user had begun would otherwise undo this one later.
    ...((isNewEmail || isEntryChanged(wishes)) && NO_EMAIL_CHANGE),
    ...(isNewEmail && { email }),
    ...(row.is_anonymous && isConfirming && { is_anonymous: false }),
    user_metadata: email === null ? userMetadata : { ...userMetadata, ...emailClaims(row.id, email, isConfirmed) },
    app_metadata: row.email === null && isNewEmail ? { ...appMetadata, ...EMAIL_APP_METADATA } : appMetadata,
  };
}

/** Whoever is inside by the old password, or in spite of the ban, is out; what was begun before is over. */
async function endWhatIsStale(client: Queryable, userId: string, wishes: Wishes): Promise<void> {
  if (isEntryChanged(wishes)) await deleteSessions(client, { userId });
  if (isEntryChanged(wishes) || wishes.email !== undefined) await dropOpenFlows(client, userId);
}

function isEntryChanged({ passwordHash, bannedUntil }: Wishes): boolean {
  return passwordHash !== undefined || bannedUntil instanceof Date;
}

/** Signs a user out everywhere without a token of theirs, which is what `POST /logout` would need. */
export async function signOutAccount(context: AuthContext, call: AuthCall): Promise<AuthAnswer> {
  const userId = getPathId(call.params, "id", "user_id");
  await inTransaction(context.pool, async (client) => {
    if ((await lockUser(client, userId)) === null) throw authError("user_not_found");
    await deleteSessions(client, { userId });
  });
  return { status: 204 };
}
