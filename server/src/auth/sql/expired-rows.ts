import type { Queryable } from "../../db/index.ts";

/**
 * Deletes sessions and API keys that would be rejected anyway; API keys do not end by inactivity. Idle sessions have no index, so
 * they are found in id order.
 */
export async function pruneSessions(
  db: Queryable,
  o: {
    readonly endedBefore: Date;
    readonly idleSince: Date | null;
    readonly afterId: string;
    readonly maxRows: number;
  },
): Promise<{ readonly rows: number; readonly lastId: string | null }> {
  const { rows } = await db.query<{ rows: number; last_id: string | null }>(
    `with ended as materialized (
       select id from auth.sessions
       where id > $3 and (not_after < $1 or coalesce(refreshed_at, created_at) < $2 and api_key_hash is null)
       order by id limit $4 for update skip locked
     ), gone as (
       delete from auth.sessions s using ended where s.id = ended.id
     )
     select count(*)::integer as rows, (select id from ended order by id desc limit 1) as last_id from ended`,
    [o.endedBefore, o.idleSince, o.afterId, o.maxRows],
  );
  return { rows: rows[0]?.rows ?? 0, lastId: rows[0]?.last_id ?? null };
}

const UNUSED_CLIENT = `not exists (select from auth.oauth_consents where client_id = oauth_clients.id)
  and not exists (select from auth.oauth_sessions where client_id = oauth_clients.id)
  and not exists (select from auth.oauth_authorizations where client_id = oauth_clients.id)`;

const STALE = {
  "one-time tokens": { table: "auth.one_time_tokens", key: "id", time: "expires_at" },
  "flow states": { table: "auth.flow_states", key: "id", time: "expires_at" },
  "sign-ins": { table: "auth.sign_in_flows", key: "id", time: "expires_at" },
  challenges: { table: "auth.mfa_challenges", key: "id", time: "expires_at" },
  "passkey challenges": { table: "auth.webauthn_challenges", key: "id", time: "expires_at" },
  authorizations: { table: "auth.oauth_authorizations", key: "id", time: "expires_at" },
  throttles: { table: "auth.mail_throttles", key: "address_hash, slot", time: "sent_at" },
  "audit entries": { table: "auth.audit_log_entries", key: "id", time: "created_at" },
  "signature nonces": { table: "private.request_nonces", key: "user_id, nonce", time: "expires_at" },
  // Whoever registered them did not come back. Their registration was of no use to anybody.
  "unused clients": {
    table: "auth.oauth_clients",
    key: "id",
    time: "created_at",
    only: `registration = 'dynamic' and ${UNUSED_CLIENT}`,
  },
  // Anybody can make the service read a document. It is read again when it is needed.
  "unused documents": {
    table: "auth.oauth_clients",
    key: "id",
    time: "created_at",
    only: `registration = 'document' and ${UNUSED_CLIENT}`,
  },
  "ended mails": { table: "private.mail_outbox", key: "id", time: "ended_at" },
} as const satisfies Record<string, StaleTable>;

interface StaleTable {
  readonly table: string;
  readonly key: string;
  readonly time: string;
  /** Other rows are kept. */
  readonly only?: string;
}

export type StaleRows = keyof typeof STALE;
export const STALE_ROWS = Object.keys(STALE) as StaleRows[];

/** Each column has an index, so a batch costs what it deletes; of clients, there are few. */
export async function pruneStale(db: Queryable, name: StaleRows, before: Date, maxRows: number): Promise<number> {
  const { table, key, time, only = "true" }: StaleTable = STALE[name];
  const { rowCount } = await db.query(
    `delete from ${table} where (${key}) in (
       select ${key} from ${table} where ${time} < $1 and ${only} order by ${time} limit $2 for update skip locked)`,
    [before, maxRows],
  );
  return rowCount ?? 0;
}

const BATCH = 200;

/** Deletes expired rows in small batches and skips locked ones. */
export async function deleteExpired(client: Queryable, now: Date, throttledBefore: Date): Promise<void> {
  await client.query(
    `with stale_tokens as (
       delete from auth.one_time_tokens where id in (
         select id from auth.one_time_tokens where expires_at < $1 order by expires_at limit ${BATCH} for update skip locked)
     ), stale_flows as (
       delete from auth.flow_states where id in (
         select id from auth.flow_states where expires_at < $1 order by expires_at limit ${BATCH} for update skip locked)
     )
     delete from auth.mail_throttles where (address_hash, slot) in (
       select address_hash, slot from auth.mail_throttles where sent_at < $2 order by sent_at limit ${BATCH}
       for update skip locked)`,
    [now, throttledBefore],
  );
}
