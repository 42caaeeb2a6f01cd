import type pg from "pg";

export interface WebhookTarget {
  readonly id: string;
  readonly user_id: string;
  readonly is_active: boolean;
  readonly api_version: string;
}

export async function selectWebhookTarget(pool: pg.Pool, webhookId: string): Promise<WebhookTarget | null> {
  const { rows } = await pool.query<WebhookTarget>(
    "select id, user_id, is_active, api_version from public.webhooks where id = $1",
    [webhookId],
  );
  return rows[0] ?? null;
}

export interface DeliveryTarget {
  readonly webhook_id: string;
  readonly user_id: string;
  readonly status: string;
  readonly is_active: boolean;
}

export async function selectDeliveryTarget(pool: pg.Pool, deliveryId: string): Promise<DeliveryTarget | null> {
  const { rows } = await pool.query<DeliveryTarget>(
    `select d.webhook_id, d.user_id, d.status, w.is_active
     from public.webhook_deliveries d join public.webhooks w on w.id = d.webhook_id
     where d.id = $1`,
    [deliveryId],
  );
  return rows[0] ?? null;
}
