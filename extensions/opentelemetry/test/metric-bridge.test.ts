import assert from "node:assert/strict";
import { test } from "node:test";
import type { MetricFamily } from "swarmbase/extension";
import { toMetricData } from "../src/metric-bridge.ts";

const TIMES = { startTime: [1, 0], endTime: [2, 0] } satisfies Record<string, [number, number]>;

function family(type: MetricFamily["type"], name: string, values: MetricFamily["values"]): MetricFamily {
  return { name, help: "A text.", type, values };
}

test("the cumulative buckets of a histogram become counts of each bucket, for each series alone", () => {
  const series = (route: string, counts: readonly number[]): MetricFamily["values"] => [
    ...[0.1, 1, "+Inf"].map((le, index) => ({
      metricName: "x_seconds_bucket",
      labels: { le, route },
      value: counts[index] ?? 0,
    })),
    { metricName: "x_seconds_sum", labels: { route }, value: 4.5 },
    { metricName: "x_seconds_count", labels: { route }, value: counts[2] ?? 0 },
  ];
  const values = [...series("/a", [2, 5, 6]), ...series("/b", [0, 0, 1])];
  const data = toMetricData(family("histogram", "x_seconds", values), TIMES);
  assert.equal(data?.descriptor.unit, "s");
  assert.deepEqual(
    data.dataPoints.map(({ attributes, value }) => [attributes, value]),
    [
      [{ route: "/a" }, { buckets: { boundaries: [0.1, 1], counts: [2, 3, 1] }, sum: 4.5, count: 6 }],
      [{ route: "/b" }, { buckets: { boundaries: [0.1, 1], counts: [0, 0, 1] }, sum: 4.5, count: 1 }],
    ],
  );
});

test("counters and gauges keep their names, labels and values; metrics without values are omitted", () => {
  const values = [{ labels: { pool: "user" }, value: 3 }];
  const counter = toMetricData(family("counter", "x_total", values), TIMES);
  assert.ok(counter !== null && "isMonotonic" in counter && counter.isMonotonic);
  const gauge = toMetricData(family("gauge", "x_bytes", values), TIMES);
  assert.deepEqual([gauge?.descriptor.name, gauge?.descriptor.unit], ["x_bytes", "By"]);
  assert.deepEqual(gauge?.dataPoints, [{ ...TIMES, attributes: { pool: "user" }, value: 3 }]);
  assert.equal(toMetricData(family("gauge", "x", []), TIMES), null);
  assert.equal(toMetricData(family("summary", "x", values), TIMES), null);
});
