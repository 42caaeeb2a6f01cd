import type { AuthContext } from "../auth-context.ts";
import type { UserRow } from "../users/user-row.ts";

export function isBanned({ clock }: Pick<AuthContext, "clock">, user: Pick<UserRow, "banned_until">): boolean {
  return user.banned_until !== null && user.banned_until > clock.now();
}
