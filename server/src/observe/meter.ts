import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import type * as PromClient from "prom-client";
import { GAUGES, type GaugeName, type GaugeRow, METRICS, type MetricRow } from "./metric-table.ts";
import type { ObservationName } from "./observations.ts";

export interface GaugeReading {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric with its current values. A histogram has values named `<name>_bucket` (label `le`), `<name>_sum` and `<name>_count`. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram" | "summary";
  readonly values: readonly {
    readonly metricName?: string;
    readonly labels: Readonly<Record<string, string | number>>;
    readonly value: number;
  }[];
}

export interface Meter {
  record(name: ObservationName, fields: Readonly<Record<string, unknown>>): void;
  /** Called at every scrape. A failure omits the gauge. */
  gauge(name: GaugeName, read: () => readonly GaugeReading[] | Promise<readonly GaugeReading[]>): void;
  /** The same for a gauge that is in no table, because an extension has it. */
  addGauge(row: { readonly name: string; readonly help: string }, read: () => readonly GaugeReading[]): void;
  readonly contentType: string;
  /** In the text format of Prometheus. */
  render(): Promise<string>;
  /** The same metrics as data. */
  read(): Promise<readonly MetricFamily[]>;
}

const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120];
const MS_PER_SECOND = 1_000;
const NO_LABEL = "none";
const READ_TIMEOUT_MS = 1_000;

type Recorder = (fields: Readonly<Record<string, unknown>>) => void;

interface MeterClient {
  readonly client: typeof PromClient;
  readonly registry: PromClient.Registry;
}

const require = createRequire(import.meta.url);

export function createMeter(): Meter {
  // Loaded here, because most processes have no meter and the client takes a tenth of the time that a process needs to load.
  const client = require("prom-client") as typeof PromClient;
  const registry = new client.Registry();
  client.collectDefaultMetrics({ register: registry });
  const target = { client, registry };
  const recorders = new Map<ObservationName, Recorder[]>();
  const addGauge = (
    { name, help, labels }: GaugeRow & { readonly name: string },
    read: Parameters<Meter["gauge"]>[1],
  ): void => {
    new client.Gauge({
      name,
      help,
      labelNames: [...labels],
      registers: [registry],
      async collect() {
        this.reset();
        // A reset sets a gauge without labels to 0, which would be a value.
        if (labels.length === 0) this.remove();
        const readings = await inTime(read).catch(() => []);
        for (const { labels: values, value } of readings) this.set(values, value);
      },
    });
  };
  for (const row of METRICS) {
    const record = row.kind === "counter" ? countInto(row, target) : measureInto(row, target);
    for (const name of row.on) recorders.set(name, [...(recorders.get(name) ?? []), record]);
  }
  return {
    record(name, fields) {
      for (const record of recorders.get(name) ?? []) record(fields);
    },
    gauge: (name, read) => addGauge({ ...GAUGES[name], name }, read),
    addGauge: (row, read) => addGauge({ ...row, labels: [] }, read),
    contentType: registry.contentType,
    render: () => registry.metrics(),
    read: async () => (await registry.getMetricsAsJSON()) as unknown as readonly MetricFamily[],
  };
}

/** The text format of metrics that were merged. */
export async function renderMetrics(families: readonly MetricFamily[]): Promise<string> {
  const client = require("prom-client") as typeof PromClient;
  const summed = families.map((family) => ({ ...family, aggregator: "sum" }));
  return client.AggregatorRegistry.aggregate([summed]).metrics();
}

/** A gauge that takes too long is omitted; the others are still served. */
async function inTime<T>(read: () => T | Promise<T>): Promise<T> {
  const late = new AbortController();
  try {
    return await Promise.race([
      Promise.resolve().then(read),
      sleep(READ_TIMEOUT_MS, undefined, { signal: late.signal }).then(() => {
        throw new Error("a gauge was not read in time");
      }),
    ]);
  } finally {
    late.abort();
  }
}

function countInto({ name, help, labels, field }: MetricRow, { client, registry }: MeterClient): Recorder {
  const counter = new client.Counter({ name, help, labelNames: [...labels], registers: [registry] });
  return (fields) => counter.inc(pick(fields, labels), field === undefined ? 1 : toNumber(fields[field]));
}

function measureInto(
  { name, help, labels, field = "durationMs" }: MetricRow,
  { client, registry }: MeterClient,
): Recorder {
  const histogram = new client.Histogram({
    name,
    help,
    labelNames: [...labels],
    buckets: BUCKETS_SECONDS,
    registers: [registry],
  });
  return (fields) => histogram.observe(pick(fields, labels), toNumber(fields[field]) / MS_PER_SECOND);
}

function pick(fields: Readonly<Record<string, unknown>>, labels: readonly string[]): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const label of labels) {
    const value = fields[label];
    picked[label] = typeof value === "string" || typeof value === "number" ? String(value) : NO_LABEL;
  }
  return picked;
}

function toNumber(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}
