import { useEffect, useState } from "react";
import { callService } from "./call-service.ts";
import { getClient } from "./client.ts";
import { type OperatorPage, useOperatorPages, useOperatorRead } from "./operator.ts";
import type { Pages, ReadResult } from "./rows.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error", "fatal"] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

export interface LogLine {
  readonly id: string;
  readonly created_at: string;
  readonly node: string;
  readonly level: LogLevel | "trace";
  readonly event: string;
  readonly message: string;
  readonly request_id: string | null;
  readonly user_id: string | null;
  readonly fields: Readonly<Record<string, unknown>>;
}

interface LogFilter {
  /** The least severe level; null shows all. */
  readonly level: LogLevel | null;
  readonly requestId: string;
  readonly userId: string;
  readonly search: string;
  readonly since: string | null;
  readonly until: string | null;
}

const PAGE = 100;
/** A page that stays open must not need memory without end. */
const MAX_TAILED = 500;

function toParameters({ level, requestId, userId, search, since, until }: LogFilter): Record<string, string> {
  return {
    level: level ?? "",
    request_id: requestId,
    user_id: userId,
    search,
    since: since ?? "",
    until: until ?? "",
  };
}

export function useLogLines(filter: LogFilter): Pages<LogLine> {
  return useOperatorPages("/logs", toParameters(filter), readPage);
}

function readPage({ lines }: { readonly lines: readonly LogLine[] }): OperatorPage<LogLine> {
  const last = lines.at(-1);
  return { rows: lines, next: lines.length < PAGE || last === undefined ? null : { before: last.id } };
}

/**
 * Lines that were written since the tail began, the newest first. Null means that the tail is off, or has ended. `onBegin` reads the lines before
 * it; pass a stable function.
 */
export function useLogTail(filter: LogFilter, isOn: boolean, onBegin: () => void): readonly LogLine[] | null {
  const [lines, setLines] = useState<readonly LogLine[] | null>(null);
  const query = new URLSearchParams(
    Object.entries(toParameters(filter)).filter(([, value]) => value !== ""),
  ).toString();
  useEffect(() => {
    if (!isOn) return undefined;
    const ending = new AbortController();
    setLines([]);
    const add = (more: readonly LogLine[]) =>
      setLines((old) => [...more.toReversed(), ...(old ?? [])].slice(0, MAX_TAILED));
    const end = () => {
      if (!ending.signal.aborted) setLines(null);
    };
    void readTail(query, ending.signal, { onBegin, add }).then(end, end);
    return () => {
      ending.abort();
      setLines(null);
    };
  }, [query, isOn, onBegin]);
  return lines;
}

interface TailListener {
  onBegin(): void;
  add(lines: readonly LogLine[]): void;
}

async function readTail(query: string, signal: AbortSignal, { onBegin, add }: TailListener): Promise<void> {
  const response = await callService(getClient(), `/operator/v1/logs/tail?${query}`, { signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let isFirst = true; ; isFirst = false) {
    const read = await reader?.read();
    if (read === undefined || read.done) return;
    if (isFirst) onBegin();
    const texts = (rest + read.value).split("\n");
    rest = texts.pop() ?? "";
    const lines = texts.filter((text) => text !== "").map((text) => JSON.parse(text) as LogLine);
    if (lines.length > 0) add(lines);
  }
}

export const METRIC_HOURS = ["1", "6", "24", "168"] as const;
export type MetricHours = (typeof METRIC_HOURS)[number];

export type MetricName =
  | "requests"
  | "errors"
  | "latency_ms"
  | "latency_p95_ms"
  | "pool_busy"
  | "pool_waiting"
  | "queue"
  | "deliveries"
  | "runs"
  | "runs_waiting"
  | "tokens"
  | "sockets"
  | "feed_lag_bytes";

export interface Metrics {
  readonly step_seconds: number;
  readonly times: readonly string[];
  readonly series: Readonly<Record<MetricName, readonly number[]>>;
}

/** How often a sample is stored. */
const SAMPLE_MS = 15_000;

export function useMetrics(hours: MetricHours): ReadResult<Metrics> {
  return useOperatorRead(`/metrics?hours=${hours}`, { everyMs: SAMPLE_MS });
}
