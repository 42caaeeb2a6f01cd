import type { ApiKeyResources, ApiKeyScope } from "@swarmbase/sdk";
import type { UserRow } from "./user-row.ts";
import type { Queryable } from "../../db/index.ts";
import { findRow, getRow, selectRows } from "./query.ts";

/** A row of `public.api_keys`, as its user reads it. */
export interface UserKeyRow {
  readonly id: string;
  readonly user_id: string;
  readonly name: string;
  readonly scopes: readonly ApiKeyScope[];
  readonly resources: ApiKeyResources | null;
  readonly prefix: string;
  readonly expires_at: Date | null;
  readonly last_used_at: Date | null;
  readonly created_at: Date;
}

type NewUserKeyRow = Pick<UserKeyRow, "user_id" | "name" | "scopes" | "resources" | "prefix" | "expires_at"> & {
  readonly hash: Buffer;
  readonly aal: "aal1" | "aal2";
};

/** The row of `auth.sessions` has the hash; its triggers copy what applies to the user. */
export function insertUserKey(client: Queryable, key: NewUserKeyRow): Promise<UserKeyRow> {
  return getRow(
    client,
    `with secret as (
       insert into auth.sessions (user_id, aal, api_key_hash, not_after) values ($1, $2, $3, $4) returning id, created_at
     )
     insert into public.api_keys (id, user_id, name, scopes, prefix, expires_at, created_at, resources)
     select id, $1, $5, $6, $7, $4, created_at, $8 from secret
     returning id, user_id, name, scopes, resources, prefix, expires_at, last_used_at, created_at`,
    [key.user_id, key.aal, key.hash, key.expires_at, key.name, key.scopes, key.prefix, key.resources],
  );
}

/** The ids among the resources of a key that name no agent and no swarm of the user. */
export async function findForeignResources(
  client: Queryable,
  userId: string,
  { agents, swarms }: ApiKeyResources,
): Promise<readonly { readonly kind: keyof ApiKeyResources; readonly id: string }[]> {
  return selectRows(
    client,
    `select 'agents' as kind, named.id from unnest($2::uuid[]) as named (id)
      where not exists (select from public.agents a where a.id = named.id and a.user_id = $1)
     union all
     select 'swarms', named.id from unnest($3::uuid[]) as named (id)
      where not exists (select from public.swarm_members m
                         where m.swarm_id = named.id and m.user_id = $1 and m.status = 'active')`,
    [userId, agents, swarms],
  );
}

/** The key that an earlier request with the same Idempotency-Key created within a day, if it was not revoked. */
export function findKeyOfRequest(
  client: Queryable,
  userId: string,
  requestKey: string,
): Promise<{ readonly id: string; readonly is_used: boolean } | null> {
  return findRow(
    client,
    `select a.id, a.last_used_at is not null as is_used
       from private.idempotency_keys k
       join public.api_keys a on a.id = k.result[1]::uuid
      where k.user_id = $1 and k.key = $2 and k.created_at > now() - interval '24 hours'`,
    [userId, requestKey],
  );
}

export async function storeKeyOfRequest(
  client: Queryable,
  { userId, requestKey, id }: { readonly userId: string; readonly requestKey: string; readonly id: string },
): Promise<void> {
  await client.query(
    `insert into private.idempotency_keys (user_id, key, request_hash, result) values ($1, $2, '', array[$3])
     on conflict on constraint idempotency_keys_user_id_key do update set result = excluded.result, created_at = now()`,
    [userId, requestKey, id],
  );
}

export async function countUserKeys(client: Queryable, userId: string): Promise<number> {
  const statement = "select count(*)::integer as keys from public.api_keys where user_id = $1 and client_id is null";
  return (await getRow<{ keys: number }>(client, statement, [userId])).keys;
}

/** Deletes one key, if it belongs to the user; null stands for any user. The session of a program is none. */
export function deleteUserKey(
  client: Queryable,
  { id, userId }: { readonly id: string; readonly userId: string | null },
): Promise<{ readonly user_id: string } | null> {
  return findRow(
    client,
    `delete from auth.sessions s where s.id = $1 and ($2::uuid is null or s.user_id = $2) and s.api_key_hash is not null
        and not exists (select from public.api_keys k where k.id = s.id and k.client_id is not null)
     returning s.user_id`,
    [id, userId],
  );
}

/** Programs too. */
export async function deleteUserKeysOf(client: Queryable, userId: string): Promise<void> {
  await client.query("delete from auth.sessions where user_id = $1 and api_key_hash is not null", [userId]);
}

/** A key with what its claims need. */
export interface KnownUserKey extends Pick<UserRow, "email" | "app_metadata" | "user_metadata" | "is_anonymous"> {
  readonly hash: Buffer;
  readonly id: string;
  readonly user_id: string;
  readonly scopes: readonly ApiKeyScope[];
  readonly resources: ApiKeyResources | null;
  readonly aal: "aal1" | "aal2";
  readonly created_at: Date;
  readonly not_after: Date | null;
  /** Null, and the two below: the key is no token of a program. */
  readonly client_id: string | null;
  readonly resource: string | null;
  readonly access_expires_at: Date | null;
  /** A bigint, which the driver returns as text. */
  readonly refresh_counter: string;
}

/** Expired keys and keys of banned users too: whether a key is active is checked for every request. */
export function selectUserKeys(client: Queryable, hashes: readonly Buffer[]): Promise<KnownUserKey[]> {
  return selectRows(client, {
    name: "select-user-keys",
    text: `select s.api_key_hash as hash, s.id, s.user_id, k.scopes, k.resources, s.aal, s.created_at, s.not_after,
                  u.email, u.app_metadata, u.user_metadata, u.is_anonymous,
                  p.client_id, p.resource, p.access_expires_at, s.refresh_counter
             from auth.sessions s
             join public.api_keys k on k.id = s.id
             join auth.users u on u.id = s.user_id
             left join auth.oauth_sessions p on p.id = s.id
            where k.client_id is not distinct from p.client_id and s.api_key_hash = any($1::bytea[])`,
    values: [hashes],
  });
}

/** Keys that another transaction is changing are left out; their next use is recorded. */
export async function markKeysUsed(client: Queryable, uses: ReadonlyMap<string, Date>): Promise<void> {
  await client.query({
    name: "mark-keys-used",
    text: `with uses as (
             select * from unnest($1::uuid[], $2::timestamptz[]) as n (id, used_at)
           ), held as materialized (
             select id from public.api_keys where id in (select id from uses) order by id for no key update skip locked
           )
           update public.api_keys k set last_used_at = greatest(k.last_used_at, uses.used_at)
             from uses where k.id = uses.id and k.id in (select id from held)`,
    values: [[...uses.keys()], [...uses.values()]],
  });
}
