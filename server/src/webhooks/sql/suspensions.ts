import type pg from "pg";

/** Enables webhooks that were disabled by a ban of their owner that has ended, which releases their held deliveries. */
export async function resumeAfterBans(pool: pg.Pool): Promise<number> {
  const { rowCount } = await pool.query(
    `update public.webhooks w set is_active = true, updated_at = now()
     from auth.users u
     where w.disabled_reason = 'account_banned' and not w.is_active
       and u.id = w.user_id and u.deleted_at is null and coalesce(u.banned_until <= now(), true)`,
  );
  return rowCount ?? 0;
}
