import { useMemo, useState } from "react";
import { type AttemptHistory, daysOf, type HistoryRange, useAttemptHistory } from "../../../data/attempts.ts";
import { CardSection } from "../../../components/card.tsx";
import { Chart } from "../../../components/chart.tsx";
import type { ChartSeries } from "../../../components/chart-props.ts";
import { EmptyState } from "../../../components/empty-state.tsx";
import { FailureState } from "../../../components/failure-state.tsx";
import { formatCount, formatDuration, formatPercent } from "../../../components/formats.ts";
import { Select } from "../../../components/select.tsx";
import { CardsSkeleton } from "../../../components/skeleton.tsx";
import { Toolbar } from "../../../components/toolbar.tsx";
import { buildAttemptPoints } from "./attempt-points.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const HOURS = 24;
const RANGES: readonly { readonly value: HistoryRange; readonly label: string }[] = [
  { value: "day", label: "Last 24 hours" },
  { value: "week", label: "Last 7 days" },
  { value: "month", label: "Last 30 days" },
];

/** Success rate and latency over time. */
export function PerformanceTab({ webhookId }: { readonly webhookId: string }) {
  const [range, setRange] = useState<HistoryRange>("day");
  const { rows, failure, reload } = useAttemptHistory(webhookId, range);
  return (
    <>
      <Toolbar label="Time of the charts">
        <Select<HistoryRange> aria-label="Time" value={range} choices={RANGES} onChange={setRange} className="w-44" />
        {rows?.isCut === true && (
          <span className="text-sm text-ink-faint">
            Based on the latest {formatCount(rows.attempts.length)} attempts.
          </span>
        )}
      </Toolbar>
      {failure !== null && rows === undefined && (
        <FailureState title="The attempts could not be loaded" message={failure.message} onRetry={reload} />
      )}
      {failure === null && rows === undefined && <CardsSkeleton cards={2} />}
      {rows?.attempts.length === 0 && (
        <EmptyState picture="usage" title="No attempts in this period">
          After the first attempts, this shows the success rate and the response time of your endpoint.
        </EmptyState>
      )}
      {rows !== undefined && rows.attempts.length > 0 && <Charts history={rows} range={range} />}
    </>
  );
}

function Charts({ history, range }: { readonly history: AttemptHistory; readonly range: HistoryRange }) {
  const { times, outcome, latency } = useMemo(() => {
    const buckets = range === "day" ? { lengthMs: HOUR_MS, count: HOURS } : { lengthMs: DAY_MS, count: daysOf(range) };
    const points = buildAttemptPoints(history.attempts, { ...buckets, now: Date.now() });
    const outcomeSeries: readonly ChartSeries[] = [
      { label: "Failed", color: "--bad", kind: "bars", values: points.failed },
      { label: "Delivered", color: "--good", kind: "bars", values: points.delivered },
    ];
    // The average is drawn in front of the slowest, which is never less.
    const latencySeries: readonly ChartSeries[] = [
      { label: "Slowest", color: "--line-strong", kind: "bars", values: points.slowestMs },
      { label: "Average", color: "--accent", kind: "bars", values: points.averageMs },
    ];
    return { times: points.times, outcome: outcomeSeries, latency: latencySeries };
  }, [history, range]);
  const unit = range === "day" ? "by the hour" : "by the day, in UTC";
  return (
    <div className="grid gap-5 xl:grid-cols-2">
      <CardSection title="Success rate" description={`The share of attempts with a 2xx response, ${unit}.`}>
        <Chart
          label="Share of attempts that were delivered and that failed"
          times={times}
          series={outcome}
          format={formatPercent}
          isStacked
          top={1}
        />
      </CardSection>
      <CardSection title="Latency" description={`The response time of the endpoint, ${unit}.`}>
        <Chart
          label="Average and longest time that attempts took"
          times={times}
          series={latency}
          format={formatDuration}
        />
      </CardSection>
    </div>
  );
}
