import { authError } from "../auth-error.ts";
import type { AuthAnswer, AuthCall } from "../call.ts";
import type { AuthContext } from "../auth-context.ts";
import { renderUser } from "../users/render-user.ts";
import { findWholeUser } from "../users/sql/find-whole-user.ts";

export async function getUser(context: AuthContext, { principal }: AuthCall): Promise<AuthAnswer> {
  if (principal.role !== "authenticated") throw authError("no_authorization");
  const user = await findWholeUser(context.pool, principal.userId);
  if (user === null) throw authError("user_not_found", "User from sub claim in JWT does not exist", { status: 401 });
  return { status: 200, body: renderUser(user) };
}
