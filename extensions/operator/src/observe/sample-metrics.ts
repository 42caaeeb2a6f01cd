import type { MetricFamily } from "swarmbase/extension";

/** What the charts show, of one process in one interval. */
export interface Sample {
  readonly requests: number;
  readonly errors: number;
  readonly latency_ms: number;
  readonly latency_p95_ms: number;
  readonly pool_busy: number;
  readonly pool_waiting: number;
  readonly queue: number;
  readonly deliveries: number;
  readonly runs: number;
  readonly runs_waiting: number;
  readonly tokens: number;
  readonly sockets: number;
  readonly feed_lag_bytes: number;
}

export type MetricName = keyof Sample;

/**
 * How the values of an interval become one. `rate`: per minute, over all nodes. `mean`: of all requests. `peak`: the highest of
 * a node. `level`: the mean of each node, added up. `shared`: every node measures the same thing.
 */
export const KINDS: Readonly<Record<MetricName, "rate" | "mean" | "peak" | "level" | "shared">> = {
  requests: "rate",
  errors: "rate",
  latency_ms: "mean",
  latency_p95_ms: "peak",
  pool_busy: "level",
  pool_waiting: "level",
  queue: "shared",
  deliveries: "rate",
  runs: "rate",
  runs_waiting: "shared",
  tokens: "rate",
  sockets: "level",
  feed_lag_bytes: "peak",
};

/** The counters at one moment; their growth is what happened since. */
export interface Counters {
  readonly requests: number;
  readonly errors: number;
  readonly seconds: number;
  /** Requests by the upper bound of their bucket. */
  readonly buckets: ReadonlyMap<number, number>;
  readonly deliveries: number;
  readonly runs: number;
  readonly tokens: number;
}

type Values = MetricFamily["values"];
type Labels = Values[number]["labels"];

const LATENCY = "swarmbase_http_request_seconds";
const MS_PER_SECOND = 1000;
const PERCENTILE = 0.95;

export function readCounters(families: readonly MetricFamily[]): Counters {
  const of = valuesByName(families);
  const buckets = new Map<number, number>();
  for (const { metricName, labels, value } of of(LATENCY)) {
    if (metricName !== `${LATENCY}_bucket`) continue;
    const bound = labels["le"] === "+Inf" ? Number.POSITIVE_INFINITY : Number(labels["le"]);
    buckets.set(bound, (buckets.get(bound) ?? 0) + value);
  }
  return {
    requests: sum(of("swarmbase_http_requests_total")),
    errors: sum(of("swarmbase_http_requests_total"), ({ status }) => Number(status) >= 500),
    seconds: sum(of(LATENCY).filter(({ metricName }) => metricName === `${LATENCY}_sum`)),
    buckets,
    deliveries: sum(of("swarmbase_webhook_attempts_total")),
    runs: sum(of("swarmbase_runs_total")),
    tokens: sum(of("swarmbase_input_tokens_total")) + sum(of("swarmbase_output_tokens_total")),
  };
}

export function sampleMetrics(families: readonly MetricFamily[], before: Counters, now: Counters): Sample {
  const of = valuesByName(families);
  const requests = now.requests - before.requests;
  return {
    requests,
    errors: now.errors - before.errors,
    latency_ms: requests === 0 ? 0 : ((now.seconds - before.seconds) / requests) * MS_PER_SECOND,
    latency_p95_ms: findPercentile(before.buckets, now.buckets),
    pool_busy: sum(of("swarmbase_pool_connections"), ({ state }) => state === "busy"),
    pool_waiting: sum(of("swarmbase_pool_waiting")),
    queue: sum(of("swarmbase_webhook_backlog")),
    deliveries: now.deliveries - before.deliveries,
    runs: now.runs - before.runs,
    runs_waiting: sum(of("swarmbase_runs_waiting")),
    tokens: now.tokens - before.tokens,
    sockets: sum(of("swarmbase_sockets")),
    feed_lag_bytes: sum(of("swarmbase_replication_lag_bytes")),
  };
}

/** The bound of the bucket in which the 95th of 100 requests is; 0 without requests. */
function findPercentile(before: Counters["buckets"], now: Counters["buckets"]): number {
  const grown = [...now]
    .map(([bound, count]) => ({ bound, count: count - (before.get(bound) ?? 0) }))
    .sort((a, b) => a.bound - b.bound);
  const total = grown.at(-1)?.count ?? 0;
  if (total === 0) return 0;
  const finite = grown.filter(({ bound }) => Number.isFinite(bound));
  const found = finite.find(({ count }) => count >= total * PERCENTILE) ?? finite.at(-1);
  return (found?.bound ?? 0) * MS_PER_SECOND;
}

function valuesByName(families: readonly MetricFamily[]): (name: string) => Values {
  const byName = new Map(families.map(({ name, values }) => [name, values]));
  return (name) => byName.get(name) ?? [];
}

function sum(values: Values, isCounted: (labels: Labels) => boolean = () => true): number {
  return values.reduce((total, { labels, value }) => (isCounted(labels) ? total + value : total), 0);
}
