import { useMemo } from "react";
import type { Row } from "./client.ts";
import { afterRow } from "./keyset.ts";
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
    read: (client, { last, size, signal }) => {
      const query = client.from("webhook_delivery_attempts").select(COLUMNS).eq("delivery_id", deliveryId);
      return (last === null ? query : query.or(afterRow(last)))
        .order("created_at", { ascending: false })
        .order("id", { ascending: false })
        .limit(size)
        .abortSignal(signal);
    },
  });
}

/** A single attempt, or all attempts of a day with the same result. */
export interface CountedAttempts {
  /** ISO 8601; for a day, its beginning in UTC. */
  readonly at: string;
  readonly isDelivered: boolean;
  readonly count: number;
  readonly averageMs: number | null;
  readonly slowestMs: number | null;
}

export interface AttemptHistory {
  readonly attempts: readonly CountedAttempts[];
  /** Not all attempts were read: the chart begins later than requested. */
  readonly isCut: boolean;
}

export type HistoryRange = "day" | "week" | "month";

const DAY_MS = 86_400_000;
const DAYS: Readonly<Record<HistoryRange, number>> = { day: 1, week: 7, month: 30 };
/** The maximum number of rows of one response. */
const MAX_READ = 1_000;

export function daysOf(range: HistoryRange): number {
  return DAYS[range];
}

/** Reads single attempts for one day; for longer ranges the database aggregates them by day. */
export function useAttemptHistory(webhookId: string, range: HistoryRange): ReadResult<AttemptHistory> {
  const isDay = range === "day";
  const single = useRows({
    table: "webhook_delivery_attempts",
    key: ["history", webhookId, range],
    isOn: isDay,
    read: (client, signal) =>
      client
        .from("webhook_delivery_attempts")
        .select("status_code, response_time_ms, created_at")
        .eq("webhook_id", webhookId)
        .gte("created_at", startOf(range))
        .order("created_at", { ascending: false })
        .limit(MAX_READ)
        .abortSignal(signal),
  });
  const daily = useRows({
    table: "webhook_delivery_attempts",
    key: ["days", webhookId, range],
    isOn: !isDay,
    read: (client, signal) =>
      client
        .from("webhook_delivery_attempts")
        .select(
          "day:created_at::date, status_code, count(), average:response_time_ms.avg(), slowest:response_time_ms.max()",
        )
        .eq("webhook_id", webhookId)
        .gte("created_at", startOf(range))
        .abortSignal(signal),
  });
  const rows = useMemo<AttemptHistory | undefined>(() => {
    if (isDay) return single.rows && readSingle(single.rows);
    return daily.rows && { attempts: daily.rows.map(readDay), isCut: false };
  }, [isDay, single.rows, daily.rows]);
  const { failure, reload } = isDay ? single : daily;
  return { rows, failure, reload };
}

function startOf(range: HistoryRange): string {
  return new Date(Date.now() - DAYS[range] * DAY_MS).toISOString();
}

interface SingleAttempt {
  readonly status_code: number | null;
  readonly response_time_ms: number | null;
  readonly created_at: string;
}

function readSingle(rows: readonly SingleAttempt[]): AttemptHistory {
  const attempts = rows.map(({ status_code, response_time_ms, created_at }) => ({
    at: created_at,
    isDelivered: isGood(status_code),
    count: 1,
    averageMs: response_time_ms,
    slowestMs: response_time_ms,
  }));
  return { attempts, isCut: rows.length >= MAX_READ };
}

interface DayOfAttempts {
  readonly day: string;
  readonly status_code: number | null;
  readonly count: number;
  readonly average: number | null;
  readonly slowest: number | null;
}

function readDay({ day, status_code, count, average, slowest }: DayOfAttempts): CountedAttempts {
  return {
    at: `${day}T00:00:00Z`,
    isDelivered: isGood(status_code),
    count,
    averageMs: average,
    slowestMs: slowest,
  };
}

function isGood(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}
