import type { AuthContext } from "../auth-context.ts";
import { findUserById } from "../sql/users.ts";

/**
 * Runs work that may prove the address of an account for the first time. When this has removed what gave access to the account, with
 * the tokens that its tools had at other services, these are revoked there.
 */
export async function withdrawIfRemoved<T>(
  context: Pick<AuthContext, "pool" | "prepareWithdrawal">,
  userId: string | null,
  work: () => Promise<T>,
): Promise<T> {
  const before = userId === null ? null : await findUserById(context.pool, userId);
  if (before === null || before.proven_email === before.email) return work();
  // Read before the transaction: after it they are gone, and waiting for a second connection while holding one can deadlock.
  const withdraw = await context.prepareWithdrawal(before.id);
  const result = await work();
  const after = await findUserById(context.pool, before.id);
  if (after !== null && after.access_removed_at?.getTime() !== before.access_removed_at?.getTime()) withdraw();
  return result;
}
