import { authError } from "../auth-error.ts";
import type { AuthContext, Queryable } from "../auth-context.ts";
import type { UserRow } from "../users/user-row.ts";
import { findOneTimeByCode } from "./find-one-time.ts";
import { type OneTimeRow, takeOneTime } from "./sql/one-time-tokens.ts";

/**
 * What the nonce is worth; a wrong one counts whatever becomes of the rest. Asked before the transaction that needs it
 * begins: whoever waits for a second connection while holding a first can wait for somebody who does the same.
 */
export async function findReauthentication(
  context: AuthContext,
  { user, nonce }: { readonly user: Pick<UserRow, "email" | "id">; readonly nonce: string },
): Promise<OneTimeRow | null> {
  if (user.email === null || nonce === "") return null;
  const kinds = ["reauthentication"] as const;
  return findOneTimeByCode(context, { relatesTo: user.email, code: nonce, kinds, userId: user.id });
}

/** Uses it up with the caller's transaction. */
export async function consumeReauthentication(
  client: Queryable,
  { user, found }: { readonly user: Pick<UserRow, "email" | "id">; readonly found: OneTimeRow | null },
): Promise<void> {
  const isOfUser = found !== null && found.user_id === user.id && found.relates_to === user.email;
  if (!isOfUser || (await takeOneTime(client, found.id)) === null) throw authError("reauthentication_not_valid");
}
