import { inTransaction } from "../../db/index.ts";
import { createEmailUser } from "../accounts/create-user.ts";
import { parseBody } from "../accounts/parse-body.ts";
import { authError } from "../auth-error.ts";
import type { AuthAnswer, AuthCall } from "../call.ts";
import type { AuthContext } from "../auth-context.ts";
import { renderUser } from "../users/render-user.ts";
import { selectWholeUser } from "../users/sql/select-user.ts";
import { ACCOUNT_BODY, hashWished, parseWishes } from "./account-body.ts";

export async function createAccount(context: AuthContext, call: AuthCall): Promise<AuthAnswer> {
  const body = parseBody(ACCOUNT_BODY, call);
  const { email, role, bannedUntil } = parseWishes(context, body);
  if (email === undefined) {
    throw authError("validation_failed", "Cannot create a user without either an email or phone");
  }
  // An empty password makes an account that is entered by mail alone, as none does.
  const passwordHash = (await hashWished(context, { ...body, password: body.password || undefined })) ?? null;
  const user = await inTransaction(context.pool, async (client) => {
    const row = await createEmailUser(context, client, {
      id: body.id?.toLowerCase() || undefined,
      email,
      isConfirmed: body.email_confirm ?? false,
      passwordHash,
      userMetadata: body.user_metadata,
      appMetadata: body.app_metadata,
      role,
      bannedUntil,
    });
    return selectWholeUser(client, row);
  });
  return { status: 200, body: renderUser(user) };
}
