import type pg from "pg";

export interface WebhookOwner {
  readonly user_id: string;
  readonly is_active: boolean;
}

export async function selectWebhookOwner(pool: pg.Pool, webhookId: string): Promise<WebhookOwner | null> {
  const { rows } = await pool.query<WebhookOwner>("select user_id, is_active from public.webhooks where id = $1", [
    webhookId,
  ]);
  return rows[0] ?? null;
}

export interface DeliveryOwner extends WebhookOwner {
  readonly status: string;
}

export async function selectDeliveryOwner(pool: pg.Pool, deliveryId: string): Promise<DeliveryOwner | null> {
  const { rows } = await pool.query<DeliveryOwner>(
    `select d.user_id, d.status, w.is_active
     from public.webhook_deliveries d join public.webhooks w on w.id = d.webhook_id
     where d.id = $1`,
    [deliveryId],
  );
  return rows[0] ?? null;
}
