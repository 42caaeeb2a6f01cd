import type pg from "pg";

const MAX_PREVIOUS_SECRETS = 10;

export interface ReplacedSecret {
  readonly newSecret: string;
  readonly previousExpiresAt: Date | null;
}

/** The old secret signs beside the new one for the grace period. Returns null when the webhook does not exist. */
export async function replaceSecret(
  pool: pg.Pool,
  webhookId: string,
  gracePeriodSeconds: number,
): Promise<ReplacedSecret | null> {
  const { rows } = await pool.query<ReplacedSecret>(
    `with locked as materialized (
       select id, secret from public.webhooks where id = $1 for no key update
     ), kept as (
       insert into private.webhook_previous_secrets (webhook_id, secret, expires_at)
       select id, secret, now() + $2 * interval '1 second' from locked where $2 > 0
       returning expires_at
     ), dropped as (
       delete from private.webhook_previous_secrets p
       using locked
       where p.webhook_id = locked.id
         and (p.expires_at <= now() or $2 = 0 or p.secret in (
           select secret from private.webhook_previous_secrets where webhook_id = $1
           order by created_at desc offset ${MAX_PREVIOUS_SECRETS - 1}))
     ), replaced as (
       update public.webhooks w
       set secret = 'whsec_' || encode(private.random_32_bytes(), 'base64'), updated_at = now()
       from locked
       where w.id = locked.id
       returning w.secret
     )
     select replaced.secret as "newSecret", (select expires_at from kept) as "previousExpiresAt" from replaced`,
    [webhookId, gracePeriodSeconds],
  );
  return rows[0] ?? null;
}

/** Returns how many of them had not expired. */
export async function deletePreviousSecrets(pool: pg.Pool, webhookId: string): Promise<number> {
  const { rows } = await pool.query<{ revoked: number }>(
    `with gone as (
       delete from private.webhook_previous_secrets where webhook_id = $1 returning expires_at
     )
     select count(*) filter (where expires_at > now())::integer as revoked from gone`,
    [webhookId],
  );
  return rows[0]?.revoked ?? 0;
}
