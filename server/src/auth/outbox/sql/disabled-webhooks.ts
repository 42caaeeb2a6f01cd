import type { SwitchedOffWebhook } from "../../mail/mail.ts";
import type { Queryable } from "../../auth-context.ts";

export interface DisabledWebhook extends SwitchedOffWebhook {
  readonly id: string;
}

/** Those of the named webhooks that the service has switched off and nobody has switched on again. */
export async function selectDisabledWebhooks(db: Queryable, ids: readonly string[]): Promise<DisabledWebhook[]> {
  const { rows } = await db.query<DisabledWebhook>(
    `select id, name, disabled_reason as reason, disabled_at as at from public.webhooks
     where id = any ($1) and not is_active and disabled_reason is not null and disabled_at is not null
     order by disabled_at, id`,
    [ids],
  );
  return rows;
}
