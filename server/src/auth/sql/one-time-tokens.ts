import type { Queryable } from "../../db/index.ts";
import { findRow, selectRows } from "./query.ts";

/** The purpose of a token. */
export type OneTimeKind =
  | "confirmation"
  | "recovery"
  | "magiclink"
  | "invite"
  | "email_change_current"
  | "email_change_new"
  | "reauthentication";

export interface OneTimeRow {
  readonly id: string;
  readonly user_id: string;
  readonly kind: OneTimeKind;
  readonly token_hash: Buffer;
  readonly relates_to: string;
  readonly failed_attempts: number;
  readonly expires_at: Date;
  readonly flow_state_id: string | null;
  readonly is_by_service_role: boolean;
}

type NewOneTime = Omit<OneTimeRow, "failed_attempts">;

/** A user has one token per kind: a new one replaces the previous one and its id. */
export async function replaceOneTime(client: Queryable, token: NewOneTime): Promise<void> {
  await client.query(
    `insert into auth.one_time_tokens
       (id, user_id, kind, token_hash, relates_to, flow_state_id, expires_at, is_by_service_role)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (user_id, kind) do update
       set id = excluded.id, token_hash = excluded.token_hash, relates_to = excluded.relates_to,
           flow_state_id = excluded.flow_state_id, expires_at = excluded.expires_at, failed_attempts = 0,
           created_at = now(), is_by_service_role = excluded.is_by_service_role`,
    [
      token.id,
      token.user_id,
      token.kind,
      token.token_hash,
      token.relates_to,
      token.flow_state_id,
      token.expires_at,
      token.is_by_service_role,
    ],
  );
}

interface AttemptScope {
  readonly relatesTo: string;
  readonly kinds: readonly OneTimeKind[];
  readonly userId?: string;
  readonly maxAttempts: number;
  readonly maxAttemptsInHour: number;
  readonly now: Date;
}

/** Counts the attempt before the code is compared, so that concurrent guesses cannot exceed the limit. */
export function claimAttempts(client: Queryable, scope: AttemptScope): Promise<readonly OneTimeRow[]> {
  return selectRows(
    client,
    `update auth.one_time_tokens
        set failed_attempts = failed_attempts + 1,
            attempts_in_hour = case when hour_began_at > $5::timestamptz - interval '1 hour' then attempts_in_hour + 1 else 1 end,
            hour_began_at = case when hour_began_at > $5::timestamptz - interval '1 hour' then hour_began_at else $5 end
      where relates_to = $1 and kind = any ($2) and ($3::uuid is null or user_id = $3)
        and failed_attempts < $4 and expires_at > $5
        and (attempts_in_hour < $6 or hour_began_at <= $5::timestamptz - interval '1 hour')
      returning *`,
    [scope.relatesTo, scope.kinds, scope.userId ?? null, scope.maxAttempts, scope.now, scope.maxAttemptsInHour],
  );
}

interface HashScope {
  readonly tokenHash: Buffer;
  readonly kinds: readonly OneTimeKind[];
  readonly now: Date;
}

export function findOneTimeByHash(client: Queryable, scope: HashScope): Promise<OneTimeRow | null> {
  return findRow(
    client,
    "select * from auth.one_time_tokens where token_hash = $1 and kind = any ($2) and expires_at > $3",
    [scope.tokenHash, scope.kinds, scope.now],
  );
}

/** Returns null when the token was used concurrently: exactly one of several uses gets the row. */
export function takeOneTime(client: Queryable, id: string): Promise<OneTimeRow | null> {
  return findRow(client, "delete from auth.one_time_tokens where id = $1 returning *", [id]);
}

/** Deletes codes and links that were mailed to the user's previous address. */
export async function deleteOneTimesOfUser(client: Queryable, userId: string): Promise<void> {
  await client.query("delete from auth.one_time_tokens where user_id = $1", [userId]);
}

export async function deleteOneTimeOfKind(client: Queryable, userId: string, kind: OneTimeKind): Promise<void> {
  await client.query("delete from auth.one_time_tokens where user_id = $1 and kind = $2", [userId, kind]);
}
