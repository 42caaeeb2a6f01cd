import { useMemo } from "react";
import { useEvery } from "./every.ts";
import { type Reading, useRows } from "./rows.ts";

export const HEALTH_REFRESH_MS = 15_000;
export const HEALTH_HOURS = 24;
const HOUR_MS = 3_600_000;

export interface Health {
  readonly attempts: number;
  readonly delivered: number;
  /** Deliveries that came to their end without having arrived. */
  readonly failed: number;
  /** The share of attempts that arrived, 0 to 1; null without attempts. */
  readonly successRate: number | null;
  /** Pending or between two attempts, at this moment. */
  readonly waiting: number;
  /** Where there were more attempts than are counted: the time from which on they are. */
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

/** What became of the attempts of the last day, by webhook; counted by the database. */
export function useHealth(webhookId?: string): Reading<ReadonlyMap<string, Health>> {
  const { rows, failure, reload } = useRows({
    table: "webhook_deliveries",
    key: ["health", webhookId],
    ask: (client, signal) =>
      client
        .rpc("webhook_health", { hours: HEALTH_HOURS, ...(webhookId !== undefined && { webhook_id: webhookId }) })
        .abortSignal(signal),
  });
  useEvery(HEALTH_REFRESH_MS, reload);
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
