import { useMemo } from "react";
import { type AttemptCounts, type HistoryPeriod, useAttemptCounts } from "../../../data/attempts.ts";
import { CardSection } from "../../../components/card.tsx";
import { Chart } from "../../../components/chart.tsx";
import type { ChartSeries } from "../../../components/chart-props.ts";
import { EmptyState } from "../../../components/empty-state.tsx";
import { ListFilters } from "../../../components/list-filters.tsx";
import { NotLoaded } from "../../../components/not-loaded.tsx";
import { formatCount, formatDuration } from "../../../components/formats.ts";
import { CardsSkeleton } from "../../../components/skeleton.tsx";
import { Toolbar } from "../../../components/toolbar.tsx";
import { type Filters, TIME, useFilters } from "../../../components/use-filters.ts";

const DAY_MS = 86_400_000;
/** How many bars the charts have, by the chosen time. */
const PERIODS: Readonly<Record<string, number>> = { hour: 12, week: 28, month: 30, custom: 48 };

/** Outcomes and response times over time, by default of a day. */
export function PerformanceTab({ webhookId }: { readonly webhookId: string }) {
  const filters = useFilters();
  const { rows, ...read } = useAttemptCounts(webhookId, usePeriod(filters));
  const hasAttempts = rows?.some((row) => row.delivered + row.retried + row.failed > 0);
  return (
    <>
      <Toolbar label="Time of the charts">
        <ListFilters filters={filters} choices={[]} hasTime />
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
function usePeriod({ range, get }: Filters): HistoryPeriod {
  const now = useMemo(() => ({ range, at: Date.now() }).at, [range]);
  const until = range.until ?? new Date(now).toISOString();
  const before = new Date(Date.parse(until) - DAY_MS).toISOString();
  const since = range.since ?? before;
  return { since: since < until ? since : before, until, periods: PERIODS[get(TIME)] ?? 24 };
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
      { label: "p95", color: "--accent", kind: "bars", values: column(({ p95_ms }) => p95_ms) },
      { label: "p50", color: "--responding", kind: "bars", values: column(({ p50_ms }) => p50_ms) },
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
      <CardSection title="Response time" description="How long your endpoint took to answer.">
        <Chart label="Response times of attempts" times={times} series={durations} format={formatTime} />
      </CardSection>
    </div>
  );
}
