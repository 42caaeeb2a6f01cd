import { API_KEY_SCOPES, type ApiKeyResources } from "@swarmbase/sdk";
import type { SessionRow } from "./sessions.ts";
import type { Queryable } from "../../db/index.ts";
import { findRow } from "./query.ts";

/** The rows of a client's session: `auth.oauth_sessions` and `auth.sessions`. */
export interface ClientSessionRow extends SessionRow {
  readonly client_id: string;
  /** The address that the tokens are for. */
  readonly resource: string;
  /** All that were granted, those of OpenID Connect included. */
  readonly scopes: readonly string[];
  readonly access_expires_at: Date;
}

interface NewClientSession
  extends Pick<ClientSessionRow, "id" | "user_id" | "client_id" | "resource" | "scopes" | "access_expires_at" | "aal"> {
  readonly clientName: string;
  /** The agents and swarms that it is bound to. */
  readonly resources: ApiKeyResources | null;
  readonly wrapped: Buffer;
  readonly accessHash: Buffer;
  readonly notAfter: Date;
  readonly authenticatedAt: Date;
  readonly address: string;
  readonly userAgent: string | null;
}

const KEY_PREFIX = "oat_";

/** The row of `public.api_keys` is what checks, policies and functions see of the client. */
export async function insertClientSession(client: Queryable, session: NewClientSession): Promise<void> {
  const { id, user_id, client_id, resource, scopes } = session;
  const amr = [{ method: "oauth", timestamp: Math.floor(session.authenticatedAt.getTime() / 1000) }];
  await client.query(
    `with secret as (
       insert into auth.sessions
         (id, user_id, aal, amr, api_key_hash, refresh_key_wrapped, not_after, user_agent, ip, refreshed_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, now())
     ), key as (
       insert into public.api_keys (id, user_id, name, scopes, prefix, resources, client_id)
       values ($1, $2, $10, $11, '${KEY_PREFIX}', $12, $13)
     )
     insert into auth.oauth_sessions (id, user_id, client_id, resource, scopes, access_expires_at)
     values ($1, $2, $13, $14, $15, $16)`,
    [
      id,
      user_id,
      session.aal,
      JSON.stringify(amr),
      session.accessHash,
      session.wrapped,
      session.notAfter,
      session.userAgent,
      session.address,
      session.clientName,
      API_KEY_SCOPES.filter((scope) => scopes.includes(scope)),
      session.resources,
      client_id,
      resource,
      scopes,
      session.access_expires_at,
    ],
  );
}

const JOINED = `select s.*, o.client_id, o.resource, o.scopes, o.access_expires_at
                  from auth.sessions s join auth.oauth_sessions o on o.id = s.id`;

/** Locks the session until the transaction ends, so that refreshes are serialised. */
export function lockClientSession(client: Queryable, id: string): Promise<ClientSessionRow | null> {
  return findRow(client, `${JOINED} where s.id = $1 for no key update of s`, [id]);
}

/** By its id, or by the hash of its access token. */
export function findClientSession(client: Queryable, by: string | Buffer): Promise<ClientSessionRow | null> {
  return findRow(client, `${JOINED} where ${typeof by === "string" ? "s.id" : "s.api_key_hash"} = $1`, [by]);
}

interface RenewedSession {
  readonly id: string;
  readonly counter: bigint;
  readonly accessHash: Buffer;
  readonly accessExpiresAt: Date;
  readonly notAfter: Date;
  readonly refreshedAt: Date;
}

export async function renewClientSession(client: Queryable, session: RenewedSession): Promise<void> {
  await client.query(
    `with tokens as (
       update auth.sessions
          set refresh_counter = $2, api_key_hash = $3, not_after = $4, refreshed_at = $5, updated_at = now()
        where id = $1
     )
     update auth.oauth_sessions set access_expires_at = $6 where id = $1`,
    [
      session.id,
      String(session.counter),
      session.accessHash,
      session.notAfter,
      session.refreshedAt,
      session.accessExpiresAt,
    ],
  );
}

interface ClientSessionSelection {
  readonly userId?: string;
  readonly clientId?: string;
  readonly sessionId?: string;
}

/**
 * Ends the sessions of clients, and the requests that could become sessions unless one session is named. Returns how many
 * sessions ended. The caller has locked the user, if it names one.
 */
export async function deleteClientSessions(client: Queryable, by: ClientSessionSelection): Promise<number> {
  const { userId = null, clientId = null, sessionId = null } = by;
  if (userId === null && clientId === null && sessionId === null) throw new Error("no session is selected");
  const { rowCount } = await client.query(
    `with requests as (
       delete from auth.oauth_authorizations
        where $3::uuid is null and ($1::uuid is null or user_id = $1) and ($2::text is null or client_id = $2)
     )
     delete from auth.sessions s using auth.oauth_sessions o
      where s.id = o.id and ($1::uuid is null or o.user_id = $1) and ($2::text is null or o.client_id = $2)
        and ($3::uuid is null or o.id = $3)`,
    [userId, clientId, sessionId],
  );
  return rowCount ?? 0;
}
