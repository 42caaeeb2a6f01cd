import type pg from "pg";

export interface Recovery {
  readonly id: string;
  readonly webhook_id: string;
  readonly since: Date;
  readonly until: Date;
  readonly status: "running" | "completed";
  readonly found: number;
  readonly recovered: number;
  readonly created_at: Date;
  readonly completed_at: Date | null;
}

const COLUMNS = "id, webhook_id, since, until, status, found, recovered, created_at, completed_at";

/** Returns the running recovery of the webhook when there is one, and null when the webhook does not exist. */
export async function insertRecovery(
  pool: pg.Pool,
  webhookId: string,
  { since, until }: { readonly since: Date; readonly until: Date | null },
): Promise<Recovery | null> {
  const { rows } = await pool.query<Recovery>(
    `with target as materialized (
       select id, user_id from public.webhooks where id = $1 for key share
     ), made as (
       insert into public.webhook_recoveries (webhook_id, user_id, since, until, found)
       select id, user_id, $2, coalesce($3, now()),
         (select count(*) from public.webhook_deliveries d
          where d.webhook_id = target.id and d.user_id = target.user_id and d.status = 'failed'
            and d.created_at >= $2 and d.created_at <= coalesce($3, now()))
       from target
       on conflict (webhook_id) where status = 'running' do nothing
       returning ${COLUMNS}
     )
     select ${COLUMNS} from made
     union all
     select ${COLUMNS} from public.webhook_recoveries
     where webhook_id = $1 and status = 'running' and not exists (select 1 from made)`,
    [webhookId, since, until],
  );
  return rows[0] ?? null;
}

/**
 * Advances one recovery, which no other node has locked, by a batch; null when there is none with work. Deliveries are
 * reopened, queued and counted in one transaction, so that any node can continue. A recovery waits while the queue of its
 * endpoint is longer than a batch, so that new deliveries do not wait behind it. Returns the number of deliveries.
 */
export async function advanceRecovery(pool: pg.Pool, batchSize: number): Promise<number | null> {
  const { rows } = await pool.query<{ recovered: number }>(
    `with job as materialized (
       select r.* from public.webhook_recoveries r
       where r.status = 'running'
         and (select count(*) from (select 1 from private.webhook_queue q where q.webhook_id = r.webhook_id limit $1) as few) < $1
       order by r.updated_at
       limit 1
       for update of r skip locked
     ), batch as materialized (
       select d.id, d.webhook_id, d.attempts
       from public.webhook_deliveries d join job on d.webhook_id = job.webhook_id and d.user_id = job.user_id
       where d.status = 'failed' and d.created_at >= job.since and d.created_at <= job.until
         and (job.last_delivery_id is null or d.id > job.last_delivery_id)
       order by d.id
       limit $1
       for no key update of d skip locked
     ), reopened as (
       update public.webhook_deliveries d set status = 'pending' from batch where d.id = batch.id
     ), queued as (
       insert into private.webhook_queue (delivery_id, webhook_id, event_seq, cause, attempts_before)
       select id, webhook_id, 0, private.keep_test_cause(id, 'replay'), attempts from batch
     ), due_queue as (
       insert into private.webhook_endpoint_queues as queue (webhook_id)
       select distinct webhook_id from batch
       on conflict (webhook_id) do update set next_due_at = least(queue.next_due_at, excluded.next_due_at)
     ), size as (
       select count(*)::integer as rows, (select id from batch order by id desc limit 1) as last_id from batch
     )
     update public.webhook_recoveries r
     set recovered = r.recovered + size.rows,
       last_delivery_id = coalesce(size.last_id, r.last_delivery_id),
       updated_at = clock_timestamp(),
       status = case when size.rows < $1 then 'completed' else 'running' end,
       completed_at = case when size.rows < $1 then now() end
     from job, size
     where r.id = job.id
     returning size.rows as recovered`,
    [batchSize],
  );
  return rows[0]?.recovered ?? null;
}

/** Returns null when the recovery does not exist or belongs to another user. Without a user, any recovery is found. */
export async function selectRecovery(pool: pg.Pool, userId: string | null, id: string): Promise<Recovery | null> {
  const { rows } = await pool.query<Recovery>(
    `select ${COLUMNS} from public.webhook_recoveries where id = $1 and ($2::text is null or user_id::text = $2)`,
    [id, userId],
  );
  return rows[0] ?? null;
}
