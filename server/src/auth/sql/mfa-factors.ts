import type { Queryable } from "../auth-context.ts";
import type { FactorRow } from "../users/user-row.ts";
import { getOnlyRow } from "./query.ts";

export interface NewFactor {
  readonly id: string;
  readonly userId: string;
  readonly friendlyName: string | null;
  readonly secretWrapped: Buffer;
  readonly createdAt: Date;
}

export async function insertFactor(client: Queryable, factor: NewFactor): Promise<FactorRow> {
  const { rows } = await client.query<FactorRow>(
    `insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, secret_wrapped, created_at, updated_at)
     values ($1, $2, $3, 'totp', $4, $5, $5)
     returning *`,
    [factor.id, factor.userId, factor.friendlyName, factor.secretWrapped, factor.createdAt],
  );
  return getOnlyRow(rows);
}

export async function selectFactors(client: Queryable, userId: string): Promise<FactorRow[]> {
  const { rows } = await client.query<FactorRow>(
    "select * from auth.mfa_factors where user_id = $1 order by created_at, id",
    [userId],
  );
  return rows;
}

/** Locks the factor until the transaction ends, so that each code is accepted once. */
export async function lockFactor(client: Queryable, userId: string, id: string): Promise<FactorRow | null> {
  const { rows } = await client.query<FactorRow>(
    "select * from auth.mfa_factors where user_id = $1 and id = $2 for no key update",
    [userId, id],
  );
  return rows[0] ?? null;
}

export async function hasVerifiedFactor(client: Queryable, userId: string): Promise<boolean> {
  const { rows } = await client.query<{ has: boolean }>(
    "select exists (select 1 from auth.mfa_factors where user_id = $1 and status = 'verified') as has",
    [userId],
  );
  return getOnlyRow(rows).has;
}

export async function touchChallenged(client: Queryable, id: string, now: Date): Promise<void> {
  await client.query("update auth.mfa_factors set last_challenged_at = $2 where id = $1", [id, now]);
}

export async function markFactorVerified(client: Queryable, id: string, usedStep: number, now: Date): Promise<void> {
  await client.query(
    `update auth.mfa_factors
        set status = 'verified', last_used_step = $2,
            updated_at = case when status = 'verified' then updated_at else $3 end
      where id = $1`,
    [id, usedStep, now],
  );
}

/** Deletes enrolments that were started and abandoned. */
export async function deleteAbandonedFactors(client: Queryable, userId: string, begunBefore: Date): Promise<void> {
  await client.query("delete from auth.mfa_factors where user_id = $1 and status = 'unverified' and created_at < $2", [
    userId,
    begunBefore,
  ]);
}

export async function deleteUnverifiedFactors(client: Queryable, userId: string): Promise<void> {
  await client.query("delete from auth.mfa_factors where user_id = $1 and status = 'unverified'", [userId]);
}

export async function deleteFactor(client: Queryable, id: string): Promise<void> {
  await client.query("delete from auth.mfa_factors where id = $1", [id]);
}

export async function selectFactorsOf(client: Queryable, userIds: readonly string[]): Promise<FactorRow[]> {
  const { rows } = await client.query<FactorRow>(
    "select * from auth.mfa_factors where user_id = any ($1::uuid[]) order by created_at, id",
    [userIds],
  );
  return rows;
}

export async function deleteFactorsOf(client: Queryable, userId: string): Promise<void> {
  await client.query("delete from auth.mfa_factors where user_id = $1", [userId]);
}
