import type { SwitchedOffWebhook } from "../mail/mail.ts";
import type { Queryable } from "../../db/index.ts";
import { selectRows } from "./query.ts";

export interface DisabledWebhook extends SwitchedOffWebhook {
  readonly id: string;
}

/** Returns those of the webhooks that the service has disabled and nobody has enabled again. */
export function selectDisabledWebhooks(db: Queryable, ids: readonly string[]): Promise<DisabledWebhook[]> {
  return selectRows(
    db,
    `select id, name, disabled_reason as reason, disabled_at as at from public.webhooks
     where id = any ($1) and not is_active and disabled_reason is not null and disabled_at is not null
     order by disabled_at, id`,
    [ids],
  );
}

export async function switchOffWebhooks(client: Queryable, userId: string, now: Date): Promise<void> {
  await client.query(
    `update public.webhooks set is_active = false, disabled_reason = 'account_deleted', disabled_at = $2, updated_at = $2
      where user_id = $1 and is_active`,
    [userId, now],
  );
}
