import type { Query } from "swarmbase/extension";

interface OutboxCounts {
  /** Mails that are due and have not been tried. */
  readonly pending: number;
  /** Mails whose last attempt failed, and that are sent again. */
  readonly retrying: number;
  /** Mails that were given up. */
  readonly failed: number;
  readonly oldest_pending_at: Date | null;
}

/** Without the mails that are not due yet: invitations wait for the hour of their inviter. */
export async function countMails(query: Query): Promise<OutboxCounts> {
  const [row] = await query<OutboxCounts>(
    `select count(*) filter (where o.ended_at is null and o.attempts = 0 and o.not_before <= now())::integer as pending,
            count(*) filter (where o.ended_at is null and o.attempts > 0)::integer as retrying,
            count(*) filter (where o.outcome = 'undeliverable')::integer as failed,
            min(o.not_before) filter (where o.ended_at is null and o.not_before <= now()) as oldest_pending_at
       from private.mail_outbox o`,
  );
  return row ?? { pending: 0, retrying: 0, failed: 0, oldest_pending_at: null };
}
