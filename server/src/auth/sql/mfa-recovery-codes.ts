import type { FactorRow } from "./user-row.ts";
import type { Queryable } from "../../db/index.ts";
import { findRow, getRow } from "./query.ts";

/** Locks the factor until the transaction ends. Returns null when the user has no recovery codes. */
export function lockRecoveryFactor(client: Queryable, userId: string): Promise<FactorRow | null> {
  const statement =
    "select * from auth.mfa_factors where user_id = $1 and factor_type = 'recovery_code' for no key update";
  return findRow(client, statement, [userId]);
}

interface RecoveryStatus {
  readonly id: string;
  readonly total: number;
  readonly remaining: number;
}

export function findRecoveryStatus(client: Queryable, userId: string): Promise<RecoveryStatus | null> {
  return findRow(
    client,
    `select f.id, count(c.code_hash)::int as total,
            (count(c.code_hash) filter (where c.used_at is null))::int as remaining
       from auth.mfa_factors f
       left join auth.mfa_recovery_codes c on c.factor_id = f.id
      where f.user_id = $1 and f.factor_type = 'recovery_code'
      group by f.id`,
    [userId],
  );
}

export async function replaceRecoveryCodes(
  client: Queryable,
  factorId: string,
  hashes: readonly Buffer[],
  now: Date,
): Promise<void> {
  await client.query("delete from auth.mfa_recovery_codes where factor_id = $1", [factorId]);
  await client.query(
    `insert into auth.mfa_recovery_codes (factor_id, code_hash, created_at)
     select $1, hash, $3 from unnest($2::bytea[]) as hash`,
    [factorId, hashes, now],
  );
}

/** Uses the code up. False when it is unknown or was used before. */
export async function useRecoveryCode(client: Queryable, factorId: string, hash: Buffer, now: Date): Promise<boolean> {
  const { count } = await getRow<{ count: number }>(
    client,
    `with used as (
       update auth.mfa_recovery_codes set used_at = $3
        where factor_id = $1 and code_hash = $2 and used_at is null
        returning factor_id)
     select count(*)::int as count from used`,
    [factorId, hash, now],
  );
  return count === 1;
}
