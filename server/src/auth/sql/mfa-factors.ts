import type { FactorRow } from "./user-row.ts";
import type { Queryable } from "../../db/index.ts";
import { findRow, getRow, insertRow, selectRows } from "./query.ts";

type NewFactor = Omit<FactorRow, "status" | "last_used_step" | "last_challenged_at"> &
  Partial<Pick<FactorRow, "status">>;

export function insertFactor(client: Queryable, factor: NewFactor): Promise<FactorRow> {
  return insertRow<FactorRow>(client, "auth.mfa_factors", factor);
}

export function selectFactors(client: Queryable, userIds: readonly string[]): Promise<FactorRow[]> {
  const statement = "select * from auth.mfa_factors where user_id = any ($1::uuid[]) order by created_at, id";
  return selectRows(client, statement, [userIds]);
}

/** Locks the factor until the transaction ends, so that each code is accepted once. */
export function lockFactor(client: Queryable, userId: string, id: string): Promise<FactorRow | null> {
  const statement = "select * from auth.mfa_factors where user_id = $1 and id = $2 for no key update";
  return findRow(client, statement, [userId, id]);
}

/** Recovery codes do not count: they exist only beside another factor. */
export async function hasVerifiedFactor(client: Queryable, userId: string): Promise<boolean> {
  const statement = `select exists (select 1 from auth.mfa_factors
    where user_id = $1 and status = 'verified' and factor_type <> 'recovery_code') as has`;
  return (await getRow<{ has: boolean }>(client, statement, [userId])).has;
}

export async function touchChallenged(client: Queryable, id: string, now: Date): Promise<void> {
  await client.query("update auth.mfa_factors set last_challenged_at = $2 where id = $1", [id, now]);
}

/** `usedStep` is null for a factor without codes. */
export async function markFactorVerified(
  client: Queryable,
  id: string,
  usedStep: number | null,
  now: Date,
): Promise<void> {
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

export async function deleteFactorsOf(client: Queryable, userId: string): Promise<void> {
  await client.query("delete from auth.mfa_factors where user_id = $1", [userId]);
}
