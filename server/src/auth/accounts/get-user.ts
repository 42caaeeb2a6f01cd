import { authError } from "../auth-error.ts";
import type { AuthAnswer, AuthCall } from "../call.ts";
import type { AuthRoom } from "../room.ts";
import { renderUser } from "../users/render-user.ts";
import { findUserById, selectWholeUser } from "../users/sql/select-user.ts";

export async function getUser(room: AuthRoom, { principal }: AuthCall): Promise<AuthAnswer> {
  if (principal.kind !== "user") throw authError("no_authorization");
  const row = await findUserById(room.pool, principal.userId);
  if (row === null) throw authError("user_not_found", "User from sub claim in JWT does not exist", { status: 401 });
  return { status: 200, body: renderUser(await selectWholeUser(room.pool, row)) };
}
