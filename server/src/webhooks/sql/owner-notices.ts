import type pg from "pg";

/** A webhook that the service has switched off. */
export interface SwitchedOff {
  readonly webhookId: string;
  readonly name: string;
  /** As in `webhooks.disabled_reason`. */
  readonly reason: string;
  readonly at: Date;
}

export interface OwnerNotice {
  readonly email: string;
  readonly webhooks: readonly SwitchedOff[];
}

/**
 * Deletes notices that need no mail (the webhook is active again, the owner has no confirmed address or is banned), notices
 * that could not be mailed for three days, and notices that were mailed more than an hour ago.
 */
export async function deleteObsoleteNotices(pool: pg.Pool): Promise<void> {
  await pool.query(
    `delete from private.webhook_notices n
     using public.webhooks w, auth.users u
     where w.id = n.webhook_id and u.id = w.user_id
       and case when n.sent_at is not null then n.sent_at < now() - interval '1 hour'
           else w.is_active or n.created_at < now() - interval '3 days' or u.email is null or u.email_confirmed_at is null
             or u.deleted_at is not null or u.banned_until > now() end`,
  );
}

/**
 * Claims all due notices of one owner. Skips owners who were mailed within the last hour, and those whose notices another node
 * has claimed. Returns null when nothing is due.
 */
export async function claimOwnerNotice(pool: pg.Pool, claim: string, leaseMs: number): Promise<OwnerNotice | null> {
  const { rows } = await pool.query<SwitchedOff & { email: string }>(
    `with owner as materialized (
       select n.user_id from private.webhook_notices n
       where n.sent_at is null and n.run_at <= now()
         and not exists (
           select 1 from private.webhook_notices other
           where other.user_id = n.user_id
             and (other.sent_at > now() - interval '1 hour'
                  or (other.sent_at is null and other.claim is not null and other.run_at > now())))
       order by n.run_at
       limit 1
     ), locked as materialized (
       select n.id from private.webhook_notices n join owner on owner.user_id = n.user_id
       where n.sent_at is null and n.run_at <= now()
       order by n.id
       for update of n
     ), claimed as (
       update private.webhook_notices n
       set claim = $1, run_at = now() + $2 * interval '1 millisecond', attempts = n.attempts + 1
       from locked where n.id = locked.id
       returning n.webhook_id, n.user_id, n.reason, n.disabled_at
     )
     select u.email, w.id as "webhookId", w.name, c.reason, c.disabled_at as "at"
     from claimed c join public.webhooks w on w.id = c.webhook_id join auth.users u on u.id = c.user_id
     order by c.disabled_at, w.id`,
    [claim, leaseMs],
  );
  const [first] = rows;
  return first === undefined
    ? null
    : {
        email: first.email,
        webhooks: rows.map(({ webhookId, name, reason, at }) => ({ webhookId, name, reason, at })),
      };
}

export async function endOwnerNotice(pool: pg.Pool, claim: string): Promise<void> {
  await pool.query("update private.webhook_notices set sent_at = now(), claim = null where claim = $1", [claim]);
}

/** Schedules the next attempt: after 1, 2, 4 minutes and so on, up to an hour. */
export async function postponeOwnerNotice(pool: pg.Pool, claim: string): Promise<void> {
  await pool.query(
    `update private.webhook_notices
     set claim = null, run_at = now() + least(power(2, attempts - 1), 60) * interval '1 minute'
     where claim = $1`,
    [claim],
  );
}
