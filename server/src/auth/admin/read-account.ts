import { inTransaction } from "../../db/index.ts";
import { authError } from "../auth-error.ts";
import type { AuthAnswer, AuthCall } from "../call.ts";
import { getPathId } from "../mfa/path-id.ts";
import type { AuthContext, Queryable } from "../auth-context.ts";
import { renderUser } from "../users/render-user.ts";
import { selectWholeUser } from "../users/sql/select-user.ts";
import type { UserRow } from "../users/user-row.ts";
import { findAccount } from "./sql/accounts.ts";

export async function readAccount(context: AuthContext, call: AuthCall): Promise<AuthAnswer> {
  const user = await inTransaction(context.pool, async (client) =>
    selectWholeUser(client, await getAccount(client, call)),
  );
  return { status: 200, body: renderUser(user) };
}

export async function getAccount(client: Queryable, { params }: Pick<AuthCall, "params">): Promise<UserRow> {
  const account = await findAccount(client, getPathId(params, "id", "user_id"));
  if (account === null) throw authError("user_not_found");
  return account;
}
