import { useMemo, useState } from "react";
import { type AttemptCounts, type HistoryPeriod, useAttemptCounts } from "../../../data/attempts.ts";
import { CardSection } from "../../../components/card.tsx";
import { Chart } from "../../../components/chart.tsx";
import type { ChartSeries } from "../../../components/chart-props.ts";
import { EmptyState } from "../../../components/empty-state.tsx";
import { NotLoaded } from "../../../components/not-loaded.tsx";
import { formatCount, formatDuration } from "../../../components/formats.ts";
import { Select } from "../../../components/select.tsx";
import { CardsSkeleton } from "../../../components/skeleton.tsx";
import { TextInput } from "../../../components/text-input.tsx";
import { Toolbar } from "../../../components/toolbar.tsx";
import { typed } from "../../../components/typed.ts";
import { useAddress } from "../../../components/use-address.ts";
import { readLocalTime } from "./delivery-filter.ts";

const HOUR_MS = 3_600_000;
const RANGES = [
  { value: "day", label: "Last 24 hours", hours: 24, periods: 24 },
  { value: "week", label: "Last 7 days", hours: 168, periods: 28 },
  { value: "month", label: "Last 30 days", hours: 720, periods: 30 },
  { value: "own", label: "Custom time", hours: 24, periods: 48 },
] as const;
type Range = (typeof RANGES)[number]["value"];

/** Outcomes and response times over time. */
export function PerformanceTab({ webhookId }: { readonly webhookId: string }) {
  const { address: params, change } = useAddress();
  const range = RANGES.find(({ value }) => value === params.get("range")) ?? RANGES[0];
  const period = usePeriod(range, params);
  const { rows, ...read } = useAttemptCounts(webhookId, period);
  const set = (name: string, value: string) => change({ [name]: value });
  const hasAttempts = rows?.some((row) => row.delivered + row.retried + row.failed > 0);
  return (
    <>
      <Toolbar label="Time of the charts">
        <Select<Range>
          aria-label="Time"
          value={range.value}
          choices={RANGES}
          onChange={(value) => set("range", value)}
          className="w-44"
        />
        {range.value === "own" && (
          <div className="flex w-full min-w-0 flex-wrap items-center gap-2 sm:w-auto sm:flex-nowrap">
            {(["from", "to"] as const).map((name) => (
              <TextInput
                key={name}
                type="datetime-local"
                aria-label={name === "from" ? "From" : "To"}
                {...typed(params.get(name), (text) => set(name, text))}
              />
            ))}
          </div>
        )}
        {rows?.some((row) => !row.is_complete) === true && (
          <span className="text-sm text-ink-faint">Busy periods show their newest {formatCount(10_000)} attempts.</span>
        )}
      </Toolbar>
      {rows === undefined && (
        <NotLoaded title="The attempts could not be counted" read={read} skeleton={<CardsSkeleton cards={2} />} />
      )}
      {hasAttempts === false && (
        <EmptyState picture="usage" title="No attempts in this period">
          After the first attempts, this shows their outcomes and the response time of your endpoint.
        </EmptyState>
      )}
      {rows !== undefined && hasAttempts === true && <Charts rows={rows} />}
    </>
  );
}

/** The current time at each render would cause endless requests, so it is that of the choice. */
function usePeriod(range: (typeof RANGES)[number], params: URLSearchParams): HistoryPeriod {
  const [openedAt] = useState(() => Date.now());
  const { hours, periods, value } = range;
  const now = new Date(openedAt).toISOString();
  const until = (value === "own" ? readLocalTime(params.get("to")) : null) ?? now;
  const before = new Date(Date.parse(until) - hours * HOUR_MS).toISOString();
  const since = (value === "own" ? readLocalTime(params.get("from")) : null) ?? before;
  return { since: since < until ? since : before, until, periods };
}

/** The axis has a short label for zero. */
function formatTime(ms: number): string {
  return ms === 0 ? "0 ms" : formatDuration(ms);
}

function Charts({ rows }: { readonly rows: readonly AttemptCounts[] }) {
  const { times, outcomes, durations } = useMemo(() => {
    const column = (read: (row: AttemptCounts) => number | null) => rows.map(read);
    const outcomeSeries: readonly ChartSeries[] = [
      { label: "Failed", color: "--bad", kind: "bars", values: column(({ failed }) => failed) },
      { label: "Retried", color: "--thinking", kind: "bars", values: column(({ retried }) => retried) },
      { label: "Delivered", color: "--good", kind: "bars", values: column(({ delivered }) => delivered) },
    ];
    // The longest is drawn behind the others, which are never longer.
    const durationSeries: readonly ChartSeries[] = [
      { label: "Slowest", color: "--line-strong", kind: "bars", values: column(({ slowest_ms }) => slowest_ms) },
      { label: "95 %", color: "--accent", kind: "bars", values: column(({ p95_ms }) => p95_ms) },
      { label: "Half", color: "--responding", kind: "bars", values: column(({ p50_ms }) => p50_ms) },
    ];
    return {
      times: rows.map(({ since }) => Date.parse(since) / 1_000),
      outcomes: outcomeSeries,
      durations: durationSeries,
    };
  }, [rows]);
  return (
    <div className="grid gap-5 xl:grid-cols-2">
      <CardSection
        title="Outcomes"
        description="Attempts that delivered, that are tried again, and that ended a delivery."
      >
        <Chart label="Attempts by outcome" times={times} series={outcomes} format={formatCount} isStacked />
      </CardSection>
      <CardSection
        title="Response time"
        description="Half of the attempts, 95 % of them and all of them were answered within this time."
      >
        <Chart label="Response times of attempts" times={times} series={durations} format={formatTime} />
      </CardSection>
    </div>
  );
}
