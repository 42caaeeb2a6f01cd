import type { Row } from "./client.ts";
import { useLiveTable } from "./live.ts";
import { type ReadResult, useRows } from "./rows.ts";
import { useInterval } from "./use-interval.ts";

export interface WebhookSummary
  extends Pick<Row<"webhooks">, "id" | "name" | "is_active" | "disabled_reason" | "disabled_at"> {
  /** The newest delivery, if any. */
  readonly last: readonly Pick<Row<"webhook_deliveries">, "id" | "status" | "status_code" | "created_at">[];
}

const MAX_SUMMARIES = 100;
const SUMMARY_MS = 60_000;

/** The newest webhooks with their last delivery, for an overview. */
export function useWebhookSummaries(): ReadResult<readonly WebhookSummary[]> {
  useLiveTable("webhooks");
  const reading = useRows({
    table: "webhooks",
    key: ["summaries"],
    read: (client) =>
      client
        .from("webhooks")
        .select(
          "id, name, is_active, disabled_reason, disabled_at, last:webhook_deliveries(id, status, status_code, created_at)",
        )
        .is("run_id", null)
        .order("created_at", { ascending: false })
        .limit(MAX_SUMMARIES)
        .order("created_at", { ascending: false, referencedTable: "last" })
        .limit(1, { referencedTable: "last" }),
  });
  // Realtime publishes no rows of deliveries, and a request after each of them would be too many for an overview.
  useInterval(SUMMARY_MS, reading.reload, (reading.rows?.length ?? 0) > 0);
  return reading;
}

/** The service has disabled it, or its newest delivery has not arrived. */
export function isFailing({ disabled_reason: reason, is_active: isActive, last }: WebhookSummary): boolean {
  const [newest] = last;
  return reason !== null || (isActive && (newest?.status === "failed" || newest?.status === "retrying"));
}
