import type { QueryResultRow } from "pg";
import type { Queryable } from "../../db/index.ts";
import { findRow, getRow, selectRows, updateRow } from "./query.ts";

export interface AmrEntry {
  readonly method: string;
  readonly timestamp: number;
}

/** The session of a device. The rows of API keys are in the same table (`user-keys.ts`). */
export interface SessionRow {
  readonly id: string;
  readonly user_id: string;
  readonly aal: "aal1" | "aal2";
  readonly amr: readonly AmrEntry[];
  readonly factor_id: string | null;
  readonly refresh_key_wrapped: Buffer;
  /** A bigint, which the driver returns as text. */
  readonly refresh_counter: string;
  /** The counter of the newest access token that was presented; a bigint too. */
  readonly seen_refresh_counter: string;
  readonly refreshed_at: Date | null;
  readonly not_after: Date | null;
  /** Null for sessions that never proved who holds them. */
  readonly proven_at: Date | null;
  readonly user_agent: string | null;
  readonly ip: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

type NewSession = Pick<
  SessionRow,
  "id" | "user_id" | "aal" | "amr" | "refresh_key_wrapped" | "not_after" | "proven_at" | "user_agent" | "ip"
>;

export function insertSession(client: Queryable, session: NewSession): Promise<SessionRow> {
  const { id, user_id, aal, amr, refresh_key_wrapped, not_after, proven_at, user_agent, ip } = session;
  return getRow(
    client,
    `insert into auth.sessions
       (id, user_id, aal, amr, refresh_key_wrapped, not_after, proven_at, user_agent, ip, refreshed_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, now())
     returning *`,
    [id, user_id, aal, JSON.stringify(amr), refresh_key_wrapped, not_after, proven_at, user_agent, ip],
  );
}

/** Locks the session until the transaction ends, so that refreshes are serialised. */
export function lockSession(client: Queryable, id: string): Promise<SessionRow | null> {
  return findRow(client, "select * from auth.sessions where id = $1 and api_key_hash is null for no key update", [id]);
}

export function findSession(client: Queryable, id: string): Promise<SessionRow | null> {
  return findRow(client, "select * from auth.sessions where id = $1 and api_key_hash is null", [id]);
}

type SessionChanges = Partial<
  Pick<
    SessionRow,
    "aal" | "amr" | "factor_id" | "proven_at" | "refresh_counter" | "refresh_key_wrapped" | "refreshed_at"
  >
>;

export function updateSession(client: Queryable, id: string, changes: SessionChanges): Promise<SessionRow> {
  const { amr, ...rest } = changes;
  // The driver would write an array as an array of PostgreSQL, and not as JSON.
  const columns = { ...rest, amr: amr === undefined ? undefined : JSON.stringify(amr) };
  return updateRow<QueryResultRow>(client, "auth.sessions", id, columns) as Promise<SessionRow>;
}

/**
 * Records that access tokens of these refresh counters were presented. Skips sessions that a transaction has locked, so
 * that it neither waits nor deadlocks, and returns their ids.
 */
export async function markRefreshesSeen(
  client: Queryable,
  seen: readonly (readonly [sessionId: string, counter: number])[],
): Promise<string[]> {
  const rows = await selectRows<{ id: string }>(client, {
    name: "mark-refreshes-seen",
    text: `with seen as (
             select s.id, n.counter from unnest($1::uuid[], $2::bigint[]) as n (id, counter)
               join auth.sessions s on s.id = n.id
              where s.refresh_counter = n.counter and s.seen_refresh_counter < n.counter
           ), held as materialized (
             select id from auth.sessions where id in (select id from seen) order by id
                for no key update skip locked
           ), marked as (
             update auth.sessions s set seen_refresh_counter = greatest(s.seen_refresh_counter, seen.counter)
               from seen where s.id = seen.id and s.id in (select id from held)
           )
           select id from seen except select id from held`,
    values: [seen.map(([id]) => id), seen.map(([, counter]) => counter)],
  });
  return rows.map(({ id }) => id);
}

export interface SessionSelection {
  readonly userId: string;
  /** Deletes this one only. */
  readonly only?: string;
  /** Deletes all but this one. */
  readonly except?: string;
}

/** A deleted session ends on every node, because each request looks it up. API keys stay: a sign-out does not revoke them. */
export async function deleteSessions(client: Queryable, { userId, only, except }: SessionSelection): Promise<void> {
  await client.query(
    `delete from auth.sessions
      where user_id = $1 and api_key_hash is null
        and ($2::uuid is null or id = $2) and ($3::uuid is null or id <> $3)`,
    [userId, only ?? null, except ?? null],
  );
}

type LiveSession = Pick<SessionRow, "id" | "created_at" | "user_agent" | "ip" | "aal"> & {
  readonly last_seen_at: Date;
};

const MAX_LISTED_SESSIONS = 200;

/** Returns the sessions that a request would still be accepted with, the latest first. */
export function selectLiveSessions(
  client: Queryable,
  userId: string,
  inactivitySeconds: number,
): Promise<LiveSession[]> {
  return selectRows(
    client,
    `select id, created_at, coalesce(refreshed_at, created_at) as last_seen_at, user_agent, host(ip) as ip, aal
       from auth.sessions
      where user_id = $1
        and api_key_hash is null
        and (not_after is null or not_after > now())
        and ($2::int = 0 or coalesce(refreshed_at, created_at) + make_interval(secs => $2::int) > now())
      order by last_seen_at desc, id
      limit ${MAX_LISTED_SESSIONS}`,
    [userId, inactivitySeconds],
  );
}

/** Deletes the user's aal1 sessions, except the one that was raised. */
export async function deleteLowerSessions(client: Queryable, userId: string, except: string): Promise<void> {
  await client.query(
    "delete from auth.sessions where user_id = $1 and id <> $2 and aal = 'aal1' and api_key_hash is null",
    [userId, except],
  );
}

/** Downgrades the sessions that were raised with this factor. */
export async function downgradeSessions(client: Queryable, factorId: string): Promise<void> {
  await client.query(
    `update auth.sessions
        set aal = 'aal1', factor_id = null, updated_at = now(),
            amr = coalesce((select jsonb_agg(entry order by place)
                              from jsonb_array_elements(amr) with ordinality as entries (entry, place)
                             where entry ->> 'method' not in ('totp', 'mfa/webauthn', 'mfa/recovery_code')), '[]')
      where factor_id = $1`,
    [factorId],
  );
}
