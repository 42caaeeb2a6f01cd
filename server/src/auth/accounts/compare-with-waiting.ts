import { inTransaction } from "../../db/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { findUserByEmail } from "../users/sql/select-user.ts";

/** The password of an account whose address nobody has confirmed yet. */
export interface WaitingPassword {
  /** Null when none waits. */
  readonly hash: string | null;
  /** Whether it is the one that was given now. */
  readonly isSame: boolean;
}

/** Takes as long for every address, whether an account waits there or not. */
export async function compareWithWaiting(
  context: AuthContext,
  email: string,
  password: string,
): Promise<WaitingPassword> {
  const user = await inTransaction(context.pool, (client) => findUserByEmail(client, email));
  const hash = user === null || user.email_confirmed_at !== null ? null : user.password_hash;
  const { isMatch } = await context.hasher.verify(hash, password);
  return { hash, isSame: isMatch };
}
