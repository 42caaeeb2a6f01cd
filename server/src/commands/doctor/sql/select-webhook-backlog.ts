import type { ClientBase } from "pg";
import { hasTable } from "../../../db/index.ts";

interface Backlog {
  readonly waiting: number;
  /** How long the oldest delivery has been due, of webhooks that neither pause nor wait for the limit of their user. */
  readonly oldestSeconds: number;
  readonly eventsWaiting: number;
}

/** Null where the schema is not there yet. */
export async function selectWebhookBacklog(client: ClientBase): Promise<Backlog | null> {
  if (!(await hasTable(client, "private.webhook_queue"))) return null;
  const { rows } = await client.query<Backlog>(
    `select count(*)::int as "waiting",
            coalesce(extract(epoch from now() - min(q.run_at)), 0)::float8 as "oldestSeconds",
            (select count(*)::int from (select from private.events limit 100000) as e) as "eventsWaiting"
     from private.webhook_queue q
     left join private.webhook_endpoint_queues queue on queue.webhook_id = q.webhook_id
     where q.run_at < now() and (queue.due_at is null or queue.due_at < now())`,
  );
  return rows[0] ?? null;
}
