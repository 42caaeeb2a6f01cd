import type { DeliveryStatus } from "@swarmbase/sdk";
import { useMemo } from "react";
import { useEvery } from "./every.ts";
import { type Reading, useRows } from "./rows.ts";

const REFRESH_MS = 15_000;

export interface Health {
  readonly delivered: number;
  readonly failed: number;
  /** Pending or between two attempts. */
  readonly waiting: number;
  readonly lastAt: string | null;
}

export const NO_DELIVERIES: Health = { delivered: 0, failed: 0, waiting: 0, lastAt: null };
const DAY_MS = 86_400_000;

/** What became of the deliveries of the last day, by webhook; counted by the database. */
export function useHealth(webhookId?: string): Reading<ReadonlyMap<string, Health>> {
  const { rows, failure, reload } = useRows({
    table: "webhook_deliveries",
    key: ["health", webhookId],
    ask: (client, signal) => {
      const query = client
        .from("webhook_deliveries")
        .select("webhook_id, status, count(), last:created_at.max()")
        .gte("created_at", new Date(Date.now() - DAY_MS).toISOString());
      return (webhookId === undefined ? query : query.eq("webhook_id", webhookId)).abortSignal(signal);
    },
  });
  useEvery(REFRESH_MS, reload);
  const byWebhook = useMemo(() => rows && gatherHealth(rows as unknown as readonly CountedDeliveries[]), [rows]);
  return { rows: byWebhook, failure, reload };
}

/** The client takes the latest of times for a number. */
interface CountedDeliveries {
  readonly webhook_id: string;
  readonly status: DeliveryStatus;
  readonly count: number;
  readonly last: string;
}

function gatherHealth(rows: readonly CountedDeliveries[]): ReadonlyMap<string, Health> {
  const found = new Map<string, Health>();
  for (const { webhook_id: id, status, count, last } of rows) {
    const before = found.get(id) ?? NO_DELIVERIES;
    const place = status === "delivered" || status === "failed" ? status : "waiting";
    const lastAt = before.lastAt === null || last > before.lastAt ? last : before.lastAt;
    found.set(id, { ...before, lastAt, [place]: before[place] + count });
  }
  return found;
}
