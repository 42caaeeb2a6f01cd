import type { MetricName } from "../observe/sample-metrics.ts";
import type { OperatorContext, OperatorRequest, OperatorRoute } from "../operator-route.ts";
import { readChoice } from "../read-input.ts";
import { type MetricRow, selectMetrics, selectNodes } from "../sql/observations.ts";

/** Hours to seconds of an interval: about 120 points. */
const STEPS = { "1": 30, "6": 180, "24": 720 } as const;
const HOURS = ["1", "6", "24"] as const;
const LIVE_MINUTES = 2;
const SECONDS_PER_MINUTE = 60;

/**
 * How the values of an interval become one. `rate`: per minute, over all nodes. `mean`: of the nodes with requests. `peak`: the highest of
 * a node. `level`: the mean of each node, added up. `shared`: every node measures the same thing.
 */
const KINDS: Readonly<Record<MetricName, "rate" | "mean" | "peak" | "level" | "shared">> = {
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

export const metricRoutes: readonly OperatorRoute[] = [
  { method: "GET", path: "/operator/v1/metrics", action: "metrics.read", handler: readMetrics },
];

async function readMetrics({ query }: OperatorRequest, { database }: OperatorContext) {
  const hours = readChoice(query["hours"], "hours", HOURS) ?? "1";
  const stepSeconds = STEPS[hours];
  const { rows, nodes } = await database.asService(async (run) => ({
    rows: await selectMetrics(run, Number(hours), stepSeconds),
    nodes: await selectNodes(run, LIVE_MINUTES),
  }));
  const times = [...new Set(rows.map(({ at }) => at.toISOString()))];
  const names = Object.keys(KINDS) as MetricName[];
  const series = Object.fromEntries(
    names.map((name) => {
      const byTime = Map.groupBy(
        rows.filter((row) => row.name === name),
        ({ at }) => at.toISOString(),
      );
      return [name, times.map((time) => combine(name, byTime.get(time) ?? [], stepSeconds))];
    }),
  );
  return { body: { step_seconds: stepSeconds, times, series, nodes } };
}

function combine(name: MetricName, rows: readonly MetricRow[], stepSeconds: number): number {
  const add = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  switch (KINDS[name]) {
    case "rate":
      return (add(rows.map(({ total }) => total)) * SECONDS_PER_MINUTE) / stepSeconds;
    case "level":
      return add(rows.map(({ mean }) => mean));
    case "mean": {
      const busy = rows.filter(({ mean }) => mean > 0);
      return busy.length === 0 ? 0 : add(busy.map(({ mean }) => mean)) / busy.length;
    }
    case "peak":
    case "shared":
      return Math.max(0, ...rows.map(({ peak }) => peak));
  }
}
