import { useMemo } from "react";
import {
  METRIC_HOURS,
  type MetricHours,
  type MetricName,
  type Metrics,
  useMetrics,
} from "../../../data/operator-observations.ts";
import { CardSection } from "../../../components/card.tsx";
import { Chart } from "../../../components/chart.tsx";
import type { ChartSeries } from "../../../components/chart-props.ts";
import { EmptyState } from "../../../components/empty-state.tsx";
import { NotLoaded } from "../../../components/not-loaded.tsx";
import { formatCompact, formatDuration } from "../../../components/formats.ts";
import { PageHeader } from "../../../components/page-header.tsx";
import { SegmentedControl } from "../../../components/segmented-control.tsx";
import { CardsSkeleton } from "../../../components/skeleton.tsx";
import { useAddress } from "../../../components/use-address.ts";

interface ChartRow {
  readonly title: string;
  readonly lines: readonly (readonly [name: MetricName, label: string, color?: "--bad"])[];
  readonly format?: (value: number) => string;
}

const CHARTS: readonly ChartRow[] = [
  {
    title: "Requests per minute",
    lines: [
      ["requests", "Requests"],
      ["errors", "Errors of the service", "--bad"],
    ],
  },
  {
    title: "Latency of requests",
    lines: [
      ["latency_ms", "Mean"],
      ["latency_p95_ms", "p95"],
    ],
    format: formatDuration,
  },
  {
    title: "Database connections",
    lines: [
      ["pool_busy", "Busy"],
      ["pool_waiting", "Requests that wait", "--bad"],
    ],
  },
  {
    title: "Queues",
    lines: [
      ["queue", "Endpoints with due deliveries"],
      ["runs_waiting", "Runs that have not ended"],
    ],
  },
  {
    title: "Deliveries and runs per minute",
    lines: [
      ["deliveries", "Attempts of deliveries"],
      ["runs", "Runs"],
    ],
  },
  { title: "Tokens per minute", lines: [["tokens", "Tokens"]] },
  { title: "Realtime sockets", lines: [["sockets", "Sockets"]] },
  { title: "Lag of the change feed", lines: [["feed_lag_bytes", "Bytes behind the database"]] },
];

const LABELS: Readonly<Record<MetricHours, string>> = {
  "1": "1 hour",
  "6": "6 hours",
  "24": "24 hours",
  "168": "7 days",
};
const CHOICES = METRIC_HOURS.map((value) => ({ value, label: LABELS[value] }));

export function MetricsPage() {
  const { address, change } = useAddress();
  const hours = METRIC_HOURS.find((value) => value === address.get("hours")) ?? "1";
  const { rows: metrics, ...read } = useMetrics(hours);
  return (
    <>
      <PageHeader
        title="Metrics"
        description="All nodes together, measured every 15 seconds."
        actions={
          <SegmentedControl<MetricHours>
            label="Period"
            value={hours}
            choices={CHOICES}
            onChange={(value) => change({ hours: value })}
          />
        }
      />
      {metrics === undefined ? (
        <NotLoaded title="The metrics could not be loaded" read={read} skeleton={<CardsSkeleton />} />
      ) : (
        <Charts metrics={metrics} />
      )}
    </>
  );
}

function Charts({ metrics }: { readonly metrics: Metrics }) {
  if (metrics.times.length === 0)
    return (
      <EmptyState picture="search" title="There are no samples yet">
        The first one appears with the start of the service.
      </EmptyState>
    );
  return (
    <div className="grid grid-cols-1 gap-5 lg:grid-cols-2">
      {CHARTS.map((chart) => (
        <CardSection key={chart.title} title={chart.title}>
          <MetricChart chart={chart} metrics={metrics} />
        </CardSection>
      ))}
    </div>
  );
}

function MetricChart({ chart, metrics }: { readonly chart: ChartRow; readonly metrics: Metrics }) {
  const times = useMemo(() => metrics.times.map((time) => Date.parse(time) / 1000), [metrics]);
  const series = useMemo(
    () =>
      chart.lines.map(([name, label, color], place): ChartSeries => {
        const usual = place === 0 ? "--series-1" : "--series-2";
        return { label, color: color ?? usual, values: metrics.series[name] };
      }),
    [chart, metrics],
  );
  return (
    <Chart label={chart.title} times={times} series={series} format={chart.format ?? formatCompact} height={180} />
  );
}
