import type { ApiKeyResources } from "@swarmbase/sdk";
import type { Queryable } from "../../db/index.ts";
import { type Columns, findRow, insertRow } from "./query.ts";

/** One request of a client, from the redirect to the redeemed code. */
export interface AuthorizationRow {
  readonly id: string;
  readonly client_id: string;
  readonly redirect_uri: string;
  readonly scopes: readonly string[];
  /** The address that the tokens are for. */
  readonly resource: string;
  readonly state: string | null;
  readonly nonce: string | null;
  readonly code_challenge: string;
  readonly is_asked: boolean;
  readonly authenticated_after: Date | null;
  readonly user_id: string | null;
  readonly resources: ApiKeyResources | null;
  readonly aal: "aal1" | "aal2" | null;
  readonly authenticated_at: Date | null;
  readonly code_hash: Buffer | null;
  readonly session_id: string | null;
  readonly redeemed_at: Date | null;
  readonly expires_at: Date;
}

export async function insertAuthorization(client: Queryable, columns: Columns<AuthorizationRow>): Promise<string> {
  return (await insertRow<AuthorizationRow>(client, "auth.oauth_authorizations", columns)).id;
}

export function findAuthorization(client: Queryable, id: string): Promise<AuthorizationRow | null> {
  return findRow(client, "select * from auth.oauth_authorizations where id = $1", [id]);
}

/** Locks a request that waits for an answer. Whoever opens it first owns it; for others there is none. */
export function claimAuthorization(
  client: Queryable,
  { id, userId, now }: { readonly id: string; readonly userId: string; readonly now: Date },
): Promise<AuthorizationRow | null> {
  return findRow(
    client,
    `update auth.oauth_authorizations set user_id = $2
      where id = $1 and coalesce(user_id, $2) = $2 and code_hash is null and expires_at > $3 returning *`,
    [id, userId, now],
  );
}

/** Whoever opens the request next owns it. */
export async function releaseAuthorization(client: Queryable, id: string): Promise<void> {
  await client.query("update auth.oauth_authorizations set user_id = null where id = $1", [id]);
}

type Answer = Required<Pick<AuthorizationRow, "aal" | "authenticated_at" | "code_hash" | "expires_at" | "resources">> &
  Pick<AuthorizationRow, "scopes">;

export async function storeCode(client: Queryable, id: string, answer: Answer): Promise<void> {
  await client.query(
    `update auth.oauth_authorizations set aal = $2, authenticated_at = $3, code_hash = $4, expires_at = $5,
            resources = $6, scopes = $7 where id = $1`,
    [id, answer.aal, answer.authenticated_at, answer.code_hash, answer.expires_at, answer.resources, answer.scopes],
  );
}

export async function deleteAuthorization(client: Queryable, id: string): Promise<void> {
  await client.query("delete from auth.oauth_authorizations where id = $1", [id]);
}

export function findByCode(client: Queryable, codeHash: Buffer): Promise<AuthorizationRow | null> {
  return findRow(client, "select * from auth.oauth_authorizations where code_hash = $1", [codeHash]);
}

/** Locks the request, so that one of several attempts redeems its code. */
export function lockByCode(client: Queryable, codeHash: Buffer): Promise<AuthorizationRow | null> {
  return findRow(client, "select * from auth.oauth_authorizations where code_hash = $1 for update", [codeHash]);
}

export async function storeRedemption(
  client: Queryable,
  id: string,
  o: { readonly sessionId: string; readonly redeemedAt: Date; readonly keptUntil: Date },
): Promise<void> {
  await client.query(
    "update auth.oauth_authorizations set session_id = $2, redeemed_at = $3, expires_at = $4 where id = $1",
    [id, o.sessionId, o.redeemedAt, o.keptUntil],
  );
}
