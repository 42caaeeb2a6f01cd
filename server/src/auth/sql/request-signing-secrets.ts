import type { Queryable } from "../../db/index.ts";
import { findRow } from "./query.ts";

export interface SigningState {
  /** Null when the user has no secret. */
  readonly secret_wrapped: Buffer | null;
  readonly requires_body_signature: boolean;
  readonly requires_message_signature: boolean;
}

/** Returns null when the user does not exist. */
export function selectSigningState(client: Queryable, userId: string): Promise<SigningState | null> {
  return findRow(client, {
    name: "select-signing-state",
    text: `select k.secret_wrapped, coalesce(s.require_request_signature, false) as requires_body_signature,
                  coalesce(s.require_message_signature, false) as requires_message_signature
             from auth.users u
             left join private.request_signing_secrets k on k.user_id = u.id
             left join public.user_settings s on s.user_id = u.id
            where u.id = $1
              and u.deleted_at is null`,
    values: [userId],
  });
}

export async function upsertSigningSecret(client: Queryable, userId: string, wrapped: Buffer): Promise<void> {
  await client.query(
    `insert into private.request_signing_secrets (user_id, secret_wrapped) values ($1, $2)
     on conflict (user_id) do update set secret_wrapped = excluded.secret_wrapped, created_at = pg_catalog.now()`,
    [userId, wrapped],
  );
}

export async function deleteSigningSecret(client: Queryable, userId: string): Promise<void> {
  await client.query("delete from private.request_signing_secrets where user_id = $1", [userId]);
}
