import type { Row } from "./client.ts";
import { unwrap } from "./failure.ts";
import { useLiveTable } from "./live.ts";
import { type ReadResult, useRows } from "./rows.ts";
import { useWrite, type Write } from "./write.ts";

export type Recovery = Omit<Row<"webhook_recoveries">, "user_id" | "last_delivery_id">;

const COLUMNS = "id, webhook_id, since, until, status, found, recovered, created_at, updated_at, completed_at";

/** The last recoveries of a webhook, with their progress. */
export function useRecoveries(webhookId: string): ReadResult<readonly Recovery[]> {
  useLiveTable("webhook_recoveries", { filter: `webhook_id=eq.${webhookId}` });
  return useRows({
    table: "webhook_recoveries",
    key: ["list", webhookId],
    read: (client) =>
      client
        .from("webhook_recoveries")
        .select(COLUMNS)
        .eq("webhook_id", webhookId)
        .order("created_at", { ascending: false })
        .limit(20),
  });
}

/** The number of deliveries that a recovery of this period would send again. */
export function useFailedIn(
  webhookId: string,
  since: string | null,
  until: string | null,
): ReadResult<readonly { count: number }[]> {
  return useRows({
    table: "webhook_deliveries",
    key: ["failed in", webhookId, since, until],
    isOn: since !== null,
    read: (client) => {
      const query = client
        .from("webhook_deliveries")
        .select("count()")
        .eq("webhook_id", webhookId)
        .eq("status", "failed")
        .gte("created_at", since ?? "");
      return until === null ? query : query.lte("created_at", until);
    },
  });
}

interface RecoveryPeriod {
  readonly webhookId: string;
  readonly since: string;
  /** Null means now. */
  readonly until: string | null;
}

export function useRecoverSince(): Write<RecoveryPeriod, Pick<Recovery, "id">> {
  return useWrite({
    tables: ["webhook_recoveries"],
    write: (client, { webhookId, since, until }) => {
      const body = { action: "recover_since", webhook_id: webhookId, since, ...(until !== null && { until }) };
      return unwrap(client.functions.invoke<{ id: string }>("webhook-dispatcher", { body })) as Promise<{ id: string }>;
    },
  });
}
