import type {
  AccountServer,
  AuthorizationKey,
  ExtensionDatabase,
  ListedAuthorization,
  ToolAccount,
} from "swarmbase/extension";

type Rows = Pick<ExtensionDatabase, "asService">;

export interface AuthorizationRow {
  readonly id: string;
  /** Base64; null when the owner has not agreed yet, or not any more. */
  readonly credentials_wrapped: string | null;
  readonly version: string;
  /** Base64; null means that no attempt waits that a further call can share. */
  readonly attempt_wrapped: string | null;
}

/** Which authorization a tool uses. */
export interface AuthorizationTarget {
  /** The owner of tools; or the person who has connected the account. */
  readonly ownerId: string | null;
  readonly account: ToolAccount;
  /** Of a client of the operator. */
  readonly clientId: string | null;
  /** Of an owner: the address of the tool. Of an asker: the address with a slash at its end, which must be within the resource. */
  readonly url: string;
}

/** The person may be signing in right now. */
const IS_LIVE = "state_hash is not null and state_expires_at > now()";
const COLUMNS = `id, encode(credentials_wrapped, 'base64') as credentials_wrapped, version,
  case when ${IS_LIVE} then encode(attempt_wrapped, 'base64') end as attempt_wrapped`;
const BY_OWNER = "(owner_id = $1 or ($1::uuid is null and owner_id is null)) and account = $2";
const BY_KEY = `${BY_OWNER} and client_id is not distinct from $3 and url = $4`;
const BY_ADDRESS = `${BY_OWNER} and client_id is not distinct from $3
  and (url = $4 or account = 'asker' and starts_with($4, url))`;

/** The authorization for an address. */
export function selectAuthorization(database: Rows, target: AuthorizationTarget): Promise<AuthorizationRow | null> {
  return selectRow(database, target, `${BY_ADDRESS} order by char_length(url) desc limit 1`);
}

async function selectRow(
  database: Rows,
  { ownerId, account, clientId, url }: AuthorizationTarget,
  where: string,
): Promise<AuthorizationRow | null> {
  const text = `select ${COLUMNS} from private.tool_authorizations where ${where}`;
  const rows = await run<AuthorizationRow>(database, text, [ownerId, account, clientId, url]);
  return rows[0] ?? null;
}

interface NewAttempt {
  readonly stateHash: Buffer;
  readonly expiresAt: Date;
  readonly redirectTo: string | null;
  readonly wrapped: Buffer;
}

/** Creates the row of a key without credentials, also removes abandoned ones. Null means that the owner has too many. */
export async function prepareAuthorization(
  database: Rows,
  key: AuthorizationTarget,
  { newId, maxPerOwner }: { readonly newId: string; readonly maxPerOwner: number },
): Promise<AuthorizationRow | null> {
  const known = await selectRow(database, key, BY_KEY);
  if (known !== null) return known;
  await run(
    database,
    "delete from private.tool_authorizations where authorized_at is null and state_expires_at < now() - interval '1 day'",
  );
  await run(
    database,
    `insert into private.tool_authorizations (id, owner_id, account, client_id, url, state_expires_at)
     select $5, $1, $2, $3, $4, now()
     where (select count(*) from private.tool_authorizations where owner_id is not distinct from $1::uuid) < $6
     on conflict (owner_id, account, client_id, url) do nothing`,
    [key.ownerId, key.account, key.clientId, key.url, newId, maxPerOwner],
  );
  return selectRow(database, key, BY_KEY);
}

/**
 * Replaces the attempt before; with `isShared`, not one that can still be used, and returns false. The credentials stay until the
 * new ones are there.
 */
export async function storeAttempt(
  database: Rows,
  id: string,
  attempt: NewAttempt & { readonly isShared: boolean },
): Promise<boolean> {
  const rows = await run(
    database,
    `update private.tool_authorizations
     set state_hash = $2, state_expires_at = $3, redirect_to = $4, attempt_wrapped = $5
     where id = $1 and not ($6 and ${IS_LIVE}) returning id`,
    [id, attempt.stateHash, attempt.expiresAt, attempt.redirectTo, attempt.wrapped, attempt.isShared],
  );
  return rows.length === 1;
}

/** Where the browser continues. Null means that there is no such attempt, or not any more. */
export async function findReturn(
  database: Rows,
  stateHash: Buffer,
): Promise<{ readonly redirect_to: string | null } | null> {
  const rows = await run<{ redirect_to: string | null }>(
    database,
    "select redirect_to from private.tool_authorizations where state_hash = $1 and state_expires_at > now()",
    [stateHash],
  );
  return rows[0] ?? null;
}

interface ClaimedAttempt {
  readonly id: string;
  readonly owner_id: string | null;
  readonly url: string;
  readonly attempt_wrapped: string;
}

/** Ends the attempt, so that it is used once. Only for its owner; `callerId` null is the service role, which connects no accounts. */
export async function claimAttempt(
  database: Rows,
  stateHash: Buffer,
  callerId: string | null,
): Promise<ClaimedAttempt | null> {
  const rows = await run<ClaimedAttempt>(
    database,
    `with found as (
       select id, owner_id, url, encode(attempt_wrapped, 'base64') as attempt_wrapped from private.tool_authorizations
       where state_hash = $1 and state_expires_at > now()
         and (owner_id = $2 or $2::uuid is null and account = 'owner') for update)
     update private.tool_authorizations a set state_hash = null, redirect_to = null, attempt_wrapped = null
     from found where a.id = found.id
     returning found.*`,
    [stateHash, callerId],
  );
  return rows[0] ?? null;
}

interface NewCredentials {
  readonly wrapped: Buffer;
  readonly scope: string | null;
  /** The call for which the person has signed in. */
  readonly executionId: string | null;
}

/** Continues the calls that wait for them at the same moment. */
export async function storeCredentials(
  database: Rows,
  id: string,
  { wrapped, scope, executionId }: NewCredentials,
): Promise<void> {
  await database.asService(async (query) => {
    await query(
      `update private.tool_authorizations
       set credentials_wrapped = $2, scope = $3, authorized_at = now(), version = version + 1, renewing_until = null
       where id = $1`,
      [id, wrapped, scope],
    );
    await query(
      `select private.continue_connected(a.owner_id, a.id, $2) from private.tool_authorizations a
       where a.id = $1 and a.account = 'asker'`,
      [id, executionId],
    );
  });
}

/** Where the person of a waiting call is asked to connect an account. Null means that the call does not wait, or not for this person. */
export async function selectConnectServer(
  database: Rows,
  executionId: string,
  personId: string,
): Promise<AccountServer | null> {
  const rows = await run<{ readonly server: AccountServer }>(
    database,
    `select p.question -> 'server' as server from public.tool_executions x
     join public.tool_execution_payloads p on p.tool_execution_id = x.id
     where x.id = $1 and x.approver_id = $2 and x.status = 'pending_approval' and coalesce(x.expires_at > now(), true)
       and p.question ->> 'kind' = 'connect'`,
    [executionId, personId],
  );
  return rows[0]?.server ?? null;
}

type RowVersion = Pick<AuthorizationRow, "id" | "version">;

/** Returns false when another call renews the credentials, or has. */
export async function claimRenewal(database: Rows, { id, version }: RowVersion, leaseMs: number): Promise<boolean> {
  const rows = await run(
    database,
    `update private.tool_authorizations set renewing_until = now() + $3 * interval '1 millisecond'
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
    `update private.tool_authorizations set credentials_wrapped = $3, version = version + 1, renewing_until = null
     where id = $1 and version = $2`,
    [id, version, wrapped],
  );
}

export async function releaseRenewal(database: Rows, { id, version }: RowVersion): Promise<void> {
  await run(database, "update private.tool_authorizations set renewing_until = null where id = $1 and version = $2", [
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
    `select url, account, scope, credentials_wrapped is not null as authorized, authorized_at
     from private.tool_authorizations
     where owner_id is not distinct from $1::uuid and authorized_at is not null order by url, account`,
    [ownerId],
  );
  return rows;
}

export async function listCredentials(database: Rows, ownerId: string): Promise<readonly AuthorizationRow[]> {
  const rows = await run<AuthorizationRow>(
    database,
    `select ${COLUMNS} from private.tool_authorizations where owner_id = $1 and credentials_wrapped is not null`,
    [ownerId],
  );
  return rows;
}

/** Returns the rows as they were: an account may have been connected with several clients. */
export function deleteAuthorizations(
  database: Rows,
  { ownerId, account = "owner", url }: AuthorizationKey,
): Promise<readonly AuthorizationRow[]> {
  const text = `delete from private.tool_authorizations where ${BY_OWNER} and url = $3 returning ${COLUMNS}`;
  return run<AuthorizationRow>(database, text, [ownerId, account, url]);
}

function run<Row extends object>(
  database: Rows,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  return database.asService((query) => query<Row>(text, values));
}
