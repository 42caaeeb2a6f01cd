import type { AuthorizationKey, ExtensionDatabase, ListedAuthorization } from "swarmbase/extension";

export type Rows = Pick<ExtensionDatabase, "asService">;

export interface AuthorizationRow {
  readonly id: string;
  /** Base64; null when the owner has not agreed yet, or not any more. */
  readonly credentials_wrapped: string | null;
  readonly version: string;
}

const BY_KEY = "(owner_id = $1 or ($1::uuid is null and owner_id is null)) and url = $2";

export async function selectAuthorization(
  database: Rows,
  { ownerId, url }: AuthorizationKey,
): Promise<AuthorizationRow | null> {
  const rows = await run<AuthorizationRow>(
    database,
    `select id, encode(credentials_wrapped, 'base64') as credentials_wrapped, version
     from private.mcp_authorizations where ${BY_KEY}`,
    [ownerId, url],
  );
  return rows[0] ?? null;
}

export interface NewAttempt {
  readonly stateHash: Buffer;
  readonly expiresAt: Date;
  readonly redirectTo: string | null;
  readonly wrapped: Buffer;
}

/** Creates the row of an owner and address without credentials, also removes abandoned ones. Null: the owner has too many. */
export async function prepareAuthorization(
  database: Rows,
  { ownerId, url }: AuthorizationKey,
  { newId, maxPerOwner }: { readonly newId: string; readonly maxPerOwner: number },
): Promise<AuthorizationRow | null> {
  const known = await selectAuthorization(database, { ownerId, url });
  if (known !== null) return known;
  await run(
    database,
    "delete from private.mcp_authorizations where authorized_at is null and state_expires_at < now() - interval '1 day'",
  );
  await run(
    database,
    `insert into private.mcp_authorizations (id, owner_id, url, state_expires_at)
     select $3, $1, $2, now()
     where (select count(*) from private.mcp_authorizations where owner_id is not distinct from $1::uuid) < $4
     on conflict (owner_id, url) do nothing`,
    [ownerId, url, newId, maxPerOwner],
  );
  return selectAuthorization(database, { ownerId, url });
}

/** Replaces the attempt before. The credentials stay until the new ones are there. */
export async function storeAttempt(database: Rows, id: string, attempt: NewAttempt): Promise<void> {
  await run(
    database,
    `update private.mcp_authorizations
     set state_hash = $2, state_expires_at = $3, redirect_to = $4, attempt_wrapped = $5 where id = $1`,
    [id, attempt.stateHash, attempt.expiresAt, attempt.redirectTo, attempt.wrapped],
  );
}

/** Where the browser continues. Null: there is no such attempt, or not any more. */
export async function findReturn(
  database: Rows,
  stateHash: Buffer,
): Promise<{ readonly redirect_to: string | null } | null> {
  const rows = await run<{ redirect_to: string | null }>(
    database,
    "select redirect_to from private.mcp_authorizations where state_hash = $1 and state_expires_at > now()",
    [stateHash],
  );
  return rows[0] ?? null;
}

export interface ClaimedAttempt {
  readonly id: string;
  readonly owner_id: string | null;
  readonly url: string;
  readonly attempt_wrapped: string;
}

/** Ends the attempt, so that it is used once. Only for its owner; `callerId` null is the service role. */
export async function claimAttempt(
  database: Rows,
  stateHash: Buffer,
  callerId: string | null,
): Promise<ClaimedAttempt | null> {
  const rows = await run<ClaimedAttempt>(
    database,
    `with found as (
       select id, owner_id, url, encode(attempt_wrapped, 'base64') as attempt_wrapped from private.mcp_authorizations
       where state_hash = $1 and state_expires_at > now() and ($2::uuid is null or owner_id = $2) for update)
     update private.mcp_authorizations a set state_hash = null, redirect_to = null, attempt_wrapped = null
     from found where a.id = found.id
     returning found.*`,
    [stateHash, callerId],
  );
  return rows[0] ?? null;
}

export interface NewCredentials {
  readonly wrapped: Buffer;
  readonly scope: string | null;
}

export async function storeCredentials(database: Rows, id: string, { wrapped, scope }: NewCredentials): Promise<void> {
  await run(
    database,
    `update private.mcp_authorizations
     set credentials_wrapped = $2, scope = $3, authorized_at = now(), version = version + 1, renewing_until = null
     where id = $1`,
    [id, wrapped, scope],
  );
}

type RowVersion = Pick<AuthorizationRow, "id" | "version">;

/** False: another call renews the credentials, or has. */
export async function claimRenewal(database: Rows, { id, version }: RowVersion, leaseMs: number): Promise<boolean> {
  const rows = await run(
    database,
    `update private.mcp_authorizations set renewing_until = now() + $3 * interval '1 millisecond'
     where id = $1 and version = $2 and (renewing_until is null or renewing_until < now())
     returning id`,
    [id, version, leaseMs],
  );
  return rows.length === 1;
}

/** `wrapped` null: the server does not accept the credentials any more. */
export async function storeRenewed(database: Rows, { id, version }: RowVersion, wrapped: Buffer | null): Promise<void> {
  await run(
    database,
    `update private.mcp_authorizations set credentials_wrapped = $3, version = version + 1, renewing_until = null
     where id = $1 and version = $2`,
    [id, version, wrapped],
  );
}

export async function releaseRenewal(database: Rows, { id, version }: RowVersion): Promise<void> {
  await run(database, "update private.mcp_authorizations set renewing_until = null where id = $1 and version = $2", [
    id,
    version,
  ]);
}

export async function listAuthorizations(
  database: Rows,
  ownerId: string | null,
): Promise<readonly ListedAuthorization[]> {
  const rows = await run<ListedAuthorization>(
    database,
    `select url, scope, credentials_wrapped is not null as authorized, authorized_at from private.mcp_authorizations
     where owner_id is not distinct from $1::uuid and authorized_at is not null order by url`,
    [ownerId],
  );
  return rows;
}

export async function listCredentials(database: Rows, ownerId: string): Promise<readonly AuthorizationRow[]> {
  const rows = await run<AuthorizationRow>(
    database,
    `select id, encode(credentials_wrapped, 'base64') as credentials_wrapped, version
     from private.mcp_authorizations where owner_id = $1 and credentials_wrapped is not null`,
    [ownerId],
  );
  return rows;
}

/** Returns the row as it was; null: there was none. */
export async function deleteAuthorization(
  database: Rows,
  { ownerId, url }: AuthorizationKey,
): Promise<AuthorizationRow | null> {
  const rows = await run<AuthorizationRow>(
    database,
    `delete from private.mcp_authorizations where ${BY_KEY}
     returning id, encode(credentials_wrapped, 'base64') as credentials_wrapped, version`,
    [ownerId, url],
  );
  return rows[0] ?? null;
}

function run<Row extends object>(
  database: Rows,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  return database.asService((query) => query<Row>(text, values));
}
