import type { Queryable } from "../../db/index.ts";
import { type Columns, findRow, getRow, insertRow, selectRows, updateRow } from "./query.ts";

export interface ClientRow {
  /** A UUID, or the address of the document that describes the client. */
  readonly id: string;
  readonly registration: "manual" | "dynamic" | "document";
  readonly name: string;
  readonly client_uri: string | null;
  readonly logo_uri: string | null;
  readonly redirect_uris: readonly string[];
  readonly grant_types: readonly string[];
  readonly token_endpoint_auth_method: "none" | "client_secret_basic" | "client_secret_post";
  /** SHA-256; null for public clients. */
  readonly secret_hash: Buffer | null;
  /** Null means all that the registration permits. */
  readonly scopes: readonly string[] | null;
  readonly document_expires_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export type NewClient = Columns<Omit<ClientRow, "created_at" | "updated_at">>;

export function findClientRow(client: Queryable, id: string): Promise<ClientRow | null> {
  return findRow(client, "select * from auth.oauth_clients where id = $1", [id]);
}

export function insertClient(client: Queryable, columns: NewClient): Promise<ClientRow> {
  return insertRow<ClientRow>(client, "auth.oauth_clients", columns);
}

/** Call it with the row locked: it fails when there is none. */
export function updateClient(client: Queryable, id: string, columns: NewClient): Promise<ClientRow> {
  return updateRow<ClientRow>(client, "auth.oauth_clients", id, columns);
}

export function lockClientRow(client: Queryable, id: string): Promise<ClientRow | null> {
  return findRow(client, "select * from auth.oauth_clients where id = $1 for update", [id]);
}

/** Ends all sessions of the client. People who had connected it find why in the audit log. */
export async function deleteClient(client: Queryable, id: string, address: string): Promise<void> {
  // Accounts that are being deleted get no entry: waiting for that could deadlock.
  await client.query(
    `insert into auth.audit_log_entries (action, user_id, ip, client_id)
     select 'program_disconnected', u.id, $2, $1 from auth.users u
      where u.id in (select user_id from auth.oauth_consents where client_id = $1
                      union select user_id from auth.oauth_sessions where client_id = $1)
        for key share skip locked`,
    [id, address],
  );
  await client.query(
    "delete from auth.sessions where id in (select id from auth.oauth_sessions where client_id = $1)",
    [id],
  );
  await client.query("delete from auth.oauth_clients where id = $1", [id]);
}

/** The newest first. */
export function selectClients(
  client: Queryable,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<ClientRow[]> {
  const statement = "select * from auth.oauth_clients order by created_at desc, id limit $1 offset $2";
  return selectRows(client, statement, [limit, offset]);
}

export async function countClients(client: Queryable): Promise<number> {
  return (await getRow<{ count: number }>(client, "select count(*)::int as count from auth.oauth_clients")).count;
}

/** Until the transaction ends, nobody else counts: two registrations cannot both be the last one. */
export async function countDynamicClients(client: Queryable): Promise<number> {
  await client.query("select pg_advisory_xact_lock(hashtextextended('oauth clients', 0))");
  const statement = "select count(*)::int as count from auth.oauth_clients where registration = 'dynamic'";
  return (await getRow<{ count: number }>(client, statement)).count;
}

/** Writes what the document at the address of the client says now. */
export function upsertDocument(
  client: Queryable,
  { id, name, client_uri, logo_uri, redirect_uris, grant_types, scopes, document_expires_at }: NewClient,
): Promise<ClientRow & { readonly is_new: boolean }> {
  return getRow(
    client,
    `insert into auth.oauth_clients as c
       (id, registration, name, client_uri, logo_uri, redirect_uris, grant_types, scopes, document_expires_at)
     values ($1, 'document', $2, $3, $4, $5, coalesce($6, '{authorization_code,refresh_token}'::text[]), $7, $8)
     on conflict (id) do update set
       name = excluded.name, client_uri = excluded.client_uri, logo_uri = excluded.logo_uri,
       redirect_uris = excluded.redirect_uris, grant_types = excluded.grant_types, scopes = excluded.scopes,
       document_expires_at = excluded.document_expires_at, updated_at = now()
     returning c.*, xmax = 0 as is_new`,
    [id, name, client_uri, logo_uri, redirect_uris, grant_types, scopes, document_expires_at],
  );
}
