import { GAUGES, type GaugeRow } from "./metric-table.ts";
import type { MetricFamily } from "./meter.ts";

/** The metrics of one worker process. */
export interface ProcessMetrics {
  readonly worker: string;
  readonly families: readonly MetricFamily[];
}

type Value = MetricFamily["values"][number];

/**
 * One answer over several processes: counters and histograms of the service are sums; gauges, and the metrics of the processes
 * themselves, have the label `worker`; what is the same in all of them is taken once.
 */
export function mergeMetrics(all: readonly ProcessMetrics[]): readonly MetricFamily[] {
  const merged = new Map<string, { readonly family: MetricFamily; readonly values: Map<string, Value> }>();
  for (const { worker, families } of all)
    for (const family of families) {
      const way = decideWay(family);
      const known = merged.get(family.name);
      if (known !== undefined && way === "once") continue;
      const { values } = known ?? { values: new Map<string, Value>() };
      if (known === undefined) merged.set(family.name, { family, values });
      for (const value of family.values) {
        const labels = way === "labelled" ? { ...value.labels, worker } : value.labels;
        const key = JSON.stringify([value.metricName, Object.entries(labels).map(String).sort(byText)]);
        const sum = way === "sum" ? (values.get(key)?.value ?? 0) + value.value : value.value;
        values.set(key, { ...value, labels, value: sum });
      }
    }
  return Array.from(merged.values(), ({ family, values }) => ({ ...family, values: [...values.values()] }));
}

function byText(one: string, other: string): number {
  return one < other ? -1 : 1;
}

/** What a process that has ended leaves in the sums: without it, counters would go down. */
export function keepSums({ worker, families }: ProcessMetrics): ProcessMetrics {
  return { worker, families: families.filter((family) => decideWay(family) === "sum") };
}

function decideWay({ name, type }: MetricFamily): "sum" | "once" | "labelled" {
  if (!name.startsWith("swarmbase_")) return "labelled";
  if (type !== "gauge") return "sum";
  const row: GaugeRow | undefined = (GAUGES as Readonly<Record<string, GaugeRow>>)[name];
  return row?.isShared === true ? "once" : "labelled";
}
