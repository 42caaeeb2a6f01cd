import type { Queryable } from "../../db/index.ts";
import { findRow, getRow, insertRow, selectRows } from "./query.ts";

export interface CredentialRow {
  readonly id: string;
  readonly user_id: string;
  readonly factor_id: string | null;
  readonly credential_id: Buffer;
  readonly public_key: Buffer;
  /** A bigint, which the driver returns as text. */
  readonly sign_count: string;
  readonly transports: readonly string[];
  readonly aaguid: string;
  readonly friendly_name: string | null;
  readonly is_backed_up: boolean;
  readonly last_used_at: Date | null;
  readonly created_at: Date;
}

export type NewCredential = Omit<CredentialRow, "id" | "friendly_name" | "last_used_at" | "created_at">;

/** Fails with 23505 when the credential is registered already, for whomever. */
export function insertCredential(client: Queryable, credential: NewCredential): Promise<CredentialRow> {
  return insertRow<CredentialRow>(client, "auth.webauthn_credentials", credential);
}

/** The passkeys of the user, or the credentials of the user's second factors. */
export function selectCredentials(
  client: Queryable,
  userId: string,
  purpose: "passkey" | "factor",
): Promise<CredentialRow[]> {
  const statement = `select * from auth.webauthn_credentials
    where user_id = $1 and (factor_id is null) = $2 order by created_at, id`;
  return selectRows(client, statement, [userId, purpose === "passkey"]);
}

export function findPasskey(client: Queryable, credentialId: Buffer): Promise<CredentialRow | null> {
  const statement = "select * from auth.webauthn_credentials where credential_id = $1 and factor_id is null";
  return findRow(client, statement, [credentialId]);
}

export interface CredentialUse {
  readonly signCount: number;
  readonly isBackedUp: boolean;
  readonly now: Date;
}

/**
 * Records a use. False when the counter did not grow, which happens when an authenticator was copied, or when the
 * credential was deleted meanwhile. Authenticators without a counter always send zero.
 */
export async function useCredential(client: Queryable, id: string, use: CredentialUse): Promise<boolean> {
  const { rowCount } = await client.query(
    `update auth.webauthn_credentials set sign_count = $2, is_backed_up = $3, last_used_at = $4
      where id = $1 and (sign_count < $2 or sign_count = 0 and $2 = 0)`,
    [id, use.signCount, use.isBackedUp, use.now],
  );
  return rowCount === 1;
}

export function renamePasskey(
  client: Queryable,
  { userId, id, name }: { readonly userId: string; readonly id: string; readonly name: string },
): Promise<CredentialRow | null> {
  return findRow(
    client,
    `update auth.webauthn_credentials set friendly_name = $3, updated_at = now()
      where user_id = $1 and id = $2 and factor_id is null returning *`,
    [userId, id, name],
  );
}

/** False when the user has no such passkey. */
export async function deletePasskey(client: Queryable, userId: string, id: string): Promise<boolean> {
  const statement = "delete from auth.webauthn_credentials where user_id = $1 and id = $2 and factor_id is null";
  return (await client.query(statement, [userId, id])).rowCount === 1;
}

export async function deletePasskeysOf(client: Queryable, userId: string): Promise<void> {
  await client.query("delete from auth.webauthn_credentials where user_id = $1 and factor_id is null", [userId]);
}

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
