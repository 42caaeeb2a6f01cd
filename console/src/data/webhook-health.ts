import { useMemo } from "react";
import { type ReadResult, useRows } from "./rows.ts";
import { useDeliverySignals } from "./webhook-signals.ts";

export const HEALTH_HOURS = 24;
const HOUR_MS = 3_600_000;

export interface Health {
  readonly attempts: number;
  readonly delivered: number;
  /** Deliveries that failed finally. */
  readonly failed: number;
  /** The share of successful attempts, 0 to 1; null without attempts. */
  readonly successRate: number | null;
  /** Deliveries that are pending or retrying now. */
  readonly waiting: number;
  /** The beginning of the counted period, if there were more attempts than the service counts. */
  readonly countedSince: string | null;
}

export const NO_ATTEMPTS: Health = {
  attempts: 0,
  delivered: 0,
  failed: 0,
  successRate: null,
  waiting: 0,
  countedSince: null,
};

/** The results of the attempts of the last day, by webhook: of one, or of all. It follows the deliveries of the given ones. */
export function useHealth(followed: readonly string[], webhookId?: string): ReadResult<ReadonlyMap<string, Health>> {
  const { rows, failure, reload } = useRows({
    table: "webhook_deliveries",
    key: ["health", webhookId],
    read: (client) =>
      client.rpc("webhook_health", { hours: HEALTH_HOURS, ...(webhookId !== undefined && { webhook_id: webhookId }) }),
  });
  useDeliverySignals(followed, reload);
  const byWebhook = useMemo(
    () => rows && new Map(rows.map((row) => [row.webhook_id, readHealth(row)] as const)),
    [rows],
  );
  return { rows: byWebhook, failure, reload };
}

interface CountedAttempts {
  readonly since: string;
  readonly until: string;
  readonly attempts: number;
  readonly delivered: number;
  readonly failed: number;
  readonly success_rate: number | null;
  readonly pending: number;
  readonly retrying: number;
}

function readHealth(row: CountedAttempts): Health {
  const { since, until, attempts, delivered, failed, success_rate: successRate, pending, retrying } = row;
  const isCut = Date.parse(until) - Date.parse(since) < HEALTH_HOURS * HOUR_MS;
  return { attempts, delivered, failed, successRate, waiting: pending + retrying, countedSince: isCut ? since : null };
}
