import type { ApiKeyResources } from "@swarmbase/sdk";
import { deleteClientSessions } from "./oauth-sessions.ts";
import type { Queryable } from "../../db/index.ts";
import { findRow, selectRows } from "./query.ts";

/** What a person has agreed to. */
export interface ConsentRow {
  readonly user_id: string;
  readonly client_id: string;
  readonly resource: string;
  readonly scopes: readonly string[];
  readonly resources: ApiKeyResources | null;
  /** As the person saw them. */
  readonly client_name: string;
  readonly redirect_uris: readonly string[];
  readonly granted_at: Date;
}

export function findConsent(
  client: Queryable,
  { user_id, client_id, resource }: Pick<ConsentRow, "user_id" | "client_id" | "resource">,
): Promise<ConsentRow | null> {
  return findRow(client, "select * from auth.oauth_consents where user_id = $1 and client_id = $2 and resource = $3", [
    user_id,
    client_id,
    resource,
  ]);
}

/**
 * The new consent takes the place of the earlier one. Sessions and codes that may do more, or something else, than it says end, so that
 * a person who gives less takes the rest back.
 */
export async function storeConsent(client: Queryable, consent: ConsentRow): Promise<void> {
  const { user_id, client_id, resource, scopes, resources, client_name, redirect_uris, granted_at } = consent;
  await client.query(
    `with consent as (
       insert into auth.oauth_consents
         (user_id, client_id, resource, scopes, resources, client_name, redirect_uris, granted_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8)
       on conflict on constraint oauth_consents_pkey do update
         set scopes = excluded.scopes, resources = excluded.resources, client_name = excluded.client_name,
             redirect_uris = excluded.redirect_uris, granted_at = excluded.granted_at
     ), codes as (
       delete from auth.oauth_authorizations a
        where a.user_id = $1 and a.client_id = $2 and a.resource = $3 and a.code_hash is not null and a.redeemed_at is null
          and not (a.scopes <@ $4::text[] and a.resources is not distinct from $5::jsonb)
     )
     delete from auth.sessions s using auth.oauth_sessions o, public.api_keys k
      where s.id = o.id and k.id = o.id and o.user_id = $1 and o.client_id = $2 and o.resource = $3
        and not (o.scopes <@ $4::text[] and k.resources is not distinct from $5::jsonb)`,
    [user_id, client_id, resource, scopes, resources, client_name, redirect_uris, granted_at],
  );
}

/** Takes back what the user has given to a program, or to all. Returns how many consents and sessions there were. */
export async function disconnectPrograms(client: Queryable, userId: string, clientId?: string): Promise<number> {
  const statement = "delete from auth.oauth_consents where user_id = $1 and ($2::text is null or client_id = $2)";
  const { rowCount } = await client.query(statement, [userId, clientId ?? null]);
  const sessions = await deleteClientSessions(client, { userId, ...(clientId !== undefined && { clientId }) });
  return (rowCount ?? 0) + sessions;
}

interface GrantRow extends ConsentRow {
  readonly name: string;
  readonly client_uri: string | null;
  readonly logo_uri: string | null;
  readonly last_used_at: Date | null;
}

/** The latest first. */
export function selectGrants(client: Queryable, userId: string): Promise<GrantRow[]> {
  return selectRows(
    client,
    `select g.*, c.name, c.client_uri, c.logo_uri,
            (select max(k.last_used_at) from auth.oauth_sessions o join public.api_keys k on k.id = o.id
              where o.user_id = g.user_id and o.client_id = g.client_id and o.resource = g.resource) as last_used_at
       from auth.oauth_consents g join auth.oauth_clients c on c.id = g.client_id
      where g.user_id = $1 order by g.granted_at desc, g.client_id, g.resource`,
    [userId],
  );
}
