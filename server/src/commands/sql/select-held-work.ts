import type { ClientBase } from "pg";

interface HeldWork {
  readonly events: number;
  readonly deliveries: number;
  readonly runs: number;
  readonly mails: number;
}

/** Counts the work that resumes when the hold is released. */
export async function selectHeldWork(client: ClientBase): Promise<HeldWork> {
  const { rows } = await client.query<HeldWork>(
    `select (select count(*)::int from private.events) as "events",
            (select count(*)::int from private.webhook_queue) as "deliveries",
            (select count(*)::int from public.runs where status = 'queued') as "runs",
            (select count(*)::int from private.mail_outbox where ended_at is null) as "mails"`,
  );
  return rows[0] ?? { events: 0, deliveries: 0, runs: 0, mails: 0 };
}
