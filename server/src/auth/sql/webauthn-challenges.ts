import { findRow, getRow, type Queryable } from "./query.ts";

interface PasskeyChallenge {
  /** Null for a sign-in. */
  readonly userId: string | null;
  readonly hash: Buffer;
  readonly expiresAt: Date;
}

/** Returns its id. */
export async function insertPasskeyChallenge(client: Queryable, challenge: PasskeyChallenge): Promise<string> {
  const { userId, hash, expiresAt } = challenge;
  const statement =
    "insert into auth.webauthn_challenges (user_id, challenge_hash, expires_at) values ($1, $2, $3) returning id";
  return (await getRow<{ id: string }>(client, statement, [userId, hash, expiresAt])).id;
}

/** Deletes it: exactly one of several responses gets the row. */
export function takePasskeyChallenge(
  client: Queryable,
  id: string,
  userId: string | null,
): Promise<{ readonly challenge_hash: Buffer; readonly expires_at: Date } | null> {
  const statement = `delete from auth.webauthn_challenges where id = $1 and user_id is not distinct from $2::uuid
                     returning challenge_hash, expires_at`;
  return findRow(client, statement, [id, userId]);
}
