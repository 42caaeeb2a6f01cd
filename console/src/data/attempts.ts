import type { Database } from "@swarmbase/sdk";
import type { Row } from "./client.ts";
import { newestAfter } from "./keyset.ts";
import { type Pages, type ReadResult, usePages, useRows } from "./rows.ts";

export type Attempt = Omit<Row<"webhook_delivery_attempts">, "user_id" | "webhook_id" | "delivery_id">;

const COLUMNS =
  "id, attempt, cause, url, status_code, error_code, error, response_body, response_truncated, response_time_ms, created_at";
/** Small, because each row has up to 64 KiB of a response. */
const PAGE = 10;

/** The attempts of a delivery, the newest first. */
export function useAttempts(deliveryId: string): Pages<Attempt> {
  return usePages<Attempt>({
    table: "webhook_delivery_attempts",
    key: ["list", deliveryId],
    size: PAGE,
    read: (client, { last, size }) => {
      const query = client.from("webhook_delivery_attempts").select(COLUMNS).eq("delivery_id", deliveryId);
      return newestAfter(query, last).limit(size);
    },
  });
}

export interface HistoryPeriod {
  /** ISO 8601. */
  readonly since: string;
  readonly until: string;
  /** The number of points. */
  readonly periods: number;
}

export type AttemptCounts = Database["public"]["Functions"]["webhook_attempt_counts"]["Returns"][number];

/** Outcomes and response times of the attempts of a webhook over time, counted by the database. */
export function useAttemptCounts(webhookId: string, period: HistoryPeriod): ReadResult<readonly AttemptCounts[]> {
  const { since, until, periods } = period;
  return useRows({
    table: "webhook_delivery_attempts",
    key: ["counts", webhookId, since, until, periods],
    read: (client) => client.rpc("webhook_attempt_counts", { webhook_id: webhookId, since, until, periods }),
  });
}
