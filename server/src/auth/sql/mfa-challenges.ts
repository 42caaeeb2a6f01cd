import type { Queryable } from "../auth-context.ts";
import { getOnlyRow } from "./query.ts";

export interface ChallengeRow {
  readonly id: string;
  readonly factor_id: string;
  readonly ip: string | null;
  readonly failed_attempts: number;
  readonly verified_at: Date | null;
  readonly expires_at: Date;
  readonly created_at: Date;
}

export interface NewChallenge {
  readonly factorId: string;
  readonly ip: string;
  readonly expiresAt: Date;
  readonly createdAt: Date;
}

export async function insertChallenge(client: Queryable, challenge: NewChallenge): Promise<ChallengeRow> {
  const { rows } = await client.query<ChallengeRow>(
    `insert into auth.mfa_challenges (factor_id, ip, expires_at, created_at)
     values ($1, $2, $3, $4)
     returning *`,
    [challenge.factorId, challenge.ip, challenge.expiresAt, challenge.createdAt],
  );
  return getOnlyRow(rows);
}

export async function findChallenge(client: Queryable, factorId: string, id: string): Promise<ChallengeRow | null> {
  const { rows } = await client.query<ChallengeRow>(
    "select * from auth.mfa_challenges where factor_id = $1 and id = $2",
    [factorId, id],
  );
  return rows[0] ?? null;
}

/** Whether the address equals the one that started the challenge, in any notation. */
export async function isChallengedAddress(client: Queryable, id: string, address: string): Promise<boolean> {
  const { rows } = await client.query<{ is: boolean }>(
    "select ip is null or ip = $2::inet as is from auth.mfa_challenges where id = $1",
    [id, address],
  );
  return rows[0]?.is ?? false;
}

export async function countFailures(client: Queryable, factorId: string): Promise<number> {
  const { rows } = await client.query<{ failures: number }>(
    "select coalesce(sum(failed_attempts), 0)::int as failures from auth.mfa_challenges where factor_id = $1",
    [factorId],
  );
  return getOnlyRow(rows).failures;
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
