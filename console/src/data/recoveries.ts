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
    read: (client, signal) =>
      client
        .from("webhook_recoveries")
        .select(COLUMNS)
        .eq("webhook_id", webhookId)
        .order("created_at", { ascending: false })
        .limit(20)
        .abortSignal(signal),
  });
}

/** The number of deliveries that a recovery would send again. */
export function useFailedSince(webhookId: string, since: string | null): ReadResult<readonly { count: number }[]> {
  return useRows({
    table: "webhook_deliveries",
    key: ["failed since", webhookId, since],
    isOn: since !== null,
    read: (client, signal) =>
      client
        .from("webhook_deliveries")
        .select("count()")
        .eq("webhook_id", webhookId)
        .eq("status", "failed")
        .gte("created_at", since ?? "")
        .abortSignal(signal),
  });
}

export function useRecoverSince(): Write<{ readonly webhookId: string; readonly since: string }, unknown> {
  return useWrite({
    tables: ["webhook_recoveries"],
    write: (client, { webhookId, since }) => {
      const body = { action: "recover_since", webhook_id: webhookId, since };
      return unwrap(client.functions.invoke("webhook-dispatcher", { body }));
    },
  });
}
