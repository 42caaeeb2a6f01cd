import { KINDS, type MetricName } from "../observe/sample-metrics.ts";
import type { OperatorContext, OperatorRequest, OperatorRoute } from "../operator-route.ts";
import { readChoice } from "../read-input.ts";
import { type MetricRow, selectMetrics, selectNodes } from "../sql/observations.ts";

/** Hours to seconds of an interval: about 120 points. Those of more than six hours are made of whole merged samples. */
const STEPS = { "1": 30, "6": 180, "24": 720, "168": 5040 } as const;
const HOURS = ["1", "6", "24", "168"] as const;
const LIVE_MINUTES = 2;
const SECONDS_PER_MINUTE = 60;

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
      const requests = add(rows.map((row) => row.requests));
      return requests === 0 ? 0 : add(rows.map(({ weighted }) => weighted)) / requests;
    }
    case "peak":
    case "shared":
      return Math.max(0, ...rows.map(({ peak }) => peak));
  }
}
