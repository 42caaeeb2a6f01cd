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
import { RelativeTime } from "../../../components/relative-time.tsx";
import { SegmentedControl } from "../../../components/segmented-control.tsx";
import { CardsSkeleton } from "../../../components/skeleton.tsx";
import { useAddress } from "../../../components/use-address.ts";

interface ChartRow {
  readonly title: string;
  readonly series: readonly {
    readonly name: MetricName;
    readonly label: string;
    readonly color: ChartSeries["color"];
  }[];
  format(value: number): string;
}

const CHARTS: readonly ChartRow[] = [
  {
    title: "Requests per minute",
    series: [
      { name: "requests", label: "Requests", color: "--series-1" },
      { name: "errors", label: "Errors of the service", color: "--bad" },
    ],
    format: formatCompact,
  },
  {
    title: "Latency of requests",
    series: [
      { name: "latency_ms", label: "Mean", color: "--series-1" },
      { name: "latency_p95_ms", label: "p95", color: "--series-2" },
    ],
    format: formatDuration,
  },
  {
    title: "Database connections",
    series: [
      { name: "pool_busy", label: "Busy", color: "--series-1" },
      { name: "pool_waiting", label: "Requests that wait", color: "--bad" },
    ],
    format: formatCompact,
  },
  {
    title: "Queues",
    series: [
      { name: "queue", label: "Endpoints with due deliveries", color: "--series-1" },
      { name: "runs_waiting", label: "Runs that have not ended", color: "--series-2" },
    ],
    format: formatCompact,
  },
  {
    title: "Deliveries and runs per minute",
    series: [
      { name: "deliveries", label: "Attempts of deliveries", color: "--series-1" },
      { name: "runs", label: "Runs", color: "--series-2" },
    ],
    format: formatCompact,
  },
  {
    title: "Tokens per minute",
    series: [{ name: "tokens", label: "Tokens", color: "--series-1" }],
    format: formatCompact,
  },
  {
    title: "Realtime sockets",
    series: [{ name: "sockets", label: "Sockets", color: "--series-1" }],
    format: formatCompact,
  },
  {
    title: "Lag of the change feed",
    series: [{ name: "feed_lag_bytes", label: "Bytes behind the database", color: "--series-1" }],
    format: formatCompact,
  },
];

const CHOICES = METRIC_HOURS.map((value) => ({ value, label: value === "1" ? "1 hour" : `${value} hours` }));

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
      <Nodes metrics={metrics} />
    </div>
  );
}

function MetricChart({ chart, metrics }: { readonly chart: ChartRow; readonly metrics: Metrics }) {
  const times = useMemo(() => metrics.times.map((time) => Date.parse(time) / 1000), [metrics]);
  const series = useMemo(
    () => chart.series.map(({ name, label, color }) => ({ label, color, values: metrics.series[name] })),
    [chart, metrics],
  );
  return <Chart label={chart.title} times={times} series={series} format={chart.format} height={180} />;
}

function Nodes({ metrics: { nodes } }: { readonly metrics: Metrics }) {
  return (
    <CardSection title="Processes" description="Those that have stored a sample in the last two minutes.">
      <ul className="divide-y divide-line rounded-md border border-line">
        {nodes.map(({ node, seen_at: seenAt, measured }) => (
          <li key={node} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-3 py-2.5">
            <span className="font-mono text-sm wrap-anywhere">{node}</span>
            <span className="text-sm text-ink-faint">
              {formatCompact(measured.sockets)} sockets, seen <RelativeTime at={seenAt} />
            </span>
          </li>
        ))}
      </ul>
    </CardSection>
  );
}
