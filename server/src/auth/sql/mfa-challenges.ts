import type { Queryable } from "../../db/index.ts";
import { findRow, getRow, insertRow } from "./query.ts";

export interface ChallengeRow {
  readonly id: string;
  readonly factor_id: string;
  readonly ip: string | null;
  /** Null for codes. */
  readonly challenge_hash: Buffer | null;
  readonly failed_attempts: number;
  readonly verified_at: Date | null;
  readonly expires_at: Date;
  readonly created_at: Date;
}

type NewChallenge = Pick<ChallengeRow, "factor_id" | "ip" | "challenge_hash" | "expires_at" | "created_at">;

export function insertChallenge(client: Queryable, challenge: NewChallenge): Promise<ChallengeRow> {
  return insertRow<ChallengeRow>(client, "auth.mfa_challenges", challenge);
}

export function findChallenge(client: Queryable, factorId: string, id: string): Promise<ChallengeRow | null> {
  return findRow(client, "select * from auth.mfa_challenges where factor_id = $1 and id = $2", [factorId, id]);
}

/** Whether the address equals the one that started the challenge, in any notation. */
export async function isChallengedAddress(client: Queryable, id: string, address: string): Promise<boolean> {
  const statement = "select ip is null or ip = $2::inet as is from auth.mfa_challenges where id = $1";
  return (await findRow<{ is: boolean }>(client, statement, [id, address]))?.is ?? false;
}

export async function countFailures(client: Queryable, factorId: string): Promise<number> {
  const statement =
    "select coalesce(sum(failed_attempts), 0)::int as failures from auth.mfa_challenges where factor_id = $1";
  return (await getRow<{ failures: number }>(client, statement, [factorId])).failures;
}

export async function countFailedAttempt(client: Queryable, id: string): Promise<void> {
  await client.query("update auth.mfa_challenges set failed_attempts = failed_attempts + 1 where id = $1", [id]);
}

export async function markChallengeVerified(client: Queryable, id: string, now: Date): Promise<void> {
  await client.query("update auth.mfa_challenges set verified_at = $2 where id = $1", [id, now]);
}

export async function deleteChallenges(client: Queryable, factorId: string, expiredBefore: Date): Promise<void> {
  await client.query("delete from auth.mfa_challenges where factor_id = $1 and expires_at < $2", [
    factorId,
    expiredBefore,
  ]);
}
