import { type Attributes, type HrTime, ValueType } from "@opentelemetry/api";
import { millisToHrTime } from "@opentelemetry/core";
import { emptyResource } from "@opentelemetry/resources";
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from "@opentelemetry/sdk-metrics";
import type { MetricFamily } from "swarmbase/extension";

interface Times {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

type Value = MetricFamily["values"][number];

/** Offers the metrics of the metrics endpoint to the SDK, so that each is declared once. Their names stay as they are. */
export function createMetricBridge(
  readMetrics: () => Promise<readonly MetricFamily[]>,
  version: string,
): MetricProducer {
  const startTime = millisToHrTime(Date.now());
  return {
    async collect() {
      const families = await readMetrics();
      const times = { startTime, endTime: millisToHrTime(Date.now()) };
      const metrics = families.flatMap((family) => toMetricData(family, times) ?? []);
      const scopeMetrics = metrics.length === 0 ? [] : [{ scope: { name: "swarmbase", version }, metrics }];
      return { resourceMetrics: { resource: emptyResource(), scopeMetrics }, errors: [] };
    },
  };
}

/** Null for a metric without values, and for summaries, which have no counterpart. */
export function toMetricData({ name, help, type, values }: MetricFamily, times: Times): MetricData | null {
  if (values.length === 0) return null;
  const shared = {
    descriptor: { name, description: help, unit: unitOf(name), valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  switch (type) {
    case "counter":
      return { ...shared, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: toPoints(values, times) };
    case "gauge":
      return { ...shared, dataPointType: DataPointType.GAUGE, dataPoints: toPoints(values, times) };
    case "histogram":
      return { ...shared, dataPointType: DataPointType.HISTOGRAM, dataPoints: toHistograms(name, values, times) };
    case "summary":
      return null;
  }
}

function toPoints(values: readonly Value[], times: Times): DataPoint<number>[] {
  return values.map(({ labels, value }) => ({ ...times, attributes: toAttributes(labels), value }));
}

/** The text format has a cumulative count per upper bound; OTLP has the count of each bucket. */
function toHistograms(name: string, values: readonly Value[], times: Times): DataPoint<Histogram>[] {
  const series = Map.groupBy(values, ({ labels }) => {
    const { le: _bound, ...others } = labels;
    return JSON.stringify(others);
  });
  return [...series.values()].map((own) => {
    const [first] = own;
    const { le: _bound, ...labels } = first?.labels ?? {};
    const valueOf = (suffix: string): number =>
      own.find(({ metricName }) => metricName === `${name}_${suffix}`)?.value ?? 0;
    const buckets = own
      .filter(({ metricName, labels: { le } }) => metricName === `${name}_bucket` && le !== "+Inf")
      .map(({ labels: { le }, value }) => ({ bound: Number(le), value }))
      .sort((left, right) => left.bound - right.bound);
    const count = valueOf("count");
    const cumulative = [...buckets.map(({ value }) => value), count];
    const counts = cumulative.map((value, index) => value - (cumulative[index - 1] ?? 0));
    const boundaries = buckets.map(({ bound }) => bound);
    return {
      ...times,
      attributes: toAttributes(labels),
      value: { buckets: { boundaries, counts }, sum: valueOf("sum"), count },
    };
  });
}

function toAttributes(labels: Value["labels"]): Attributes {
  return { ...labels };
}

function unitOf(name: string): string {
  if (/_seconds(?:_total)?$/.test(name)) return "s";
  return /_bytes(?:_total)?$/.test(name) ? "By" : "";
}
