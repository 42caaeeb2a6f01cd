import { inTransaction } from "../../db/index.ts";
import type { AuthRoom } from "../room.ts";
import { findUserByEmail } from "../users/sql/select-user.ts";

/** The password of an account whose address nobody has confirmed yet. */
export interface WaitingPassword {
  /** Null when none waits. */
  readonly hash: string | null;
  /** Whether it is the one that was given now. */
  readonly isSame: boolean;
}

/** Takes as long for every address, whether an account waits there or not. */
export async function compareWithWaiting(room: AuthRoom, email: string, password: string): Promise<WaitingPassword> {
  const user = await inTransaction(room.pool, (client) => findUserByEmail(client, email));
  const hash = user === null || user.email_confirmed_at !== null ? null : user.password_hash;
  const { isMatch } = await room.hasher.verify(hash, password);
  return { hash, isSame: isMatch };
}
