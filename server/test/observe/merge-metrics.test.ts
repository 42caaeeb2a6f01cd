import assert from "node:assert/strict";
import { test } from "node:test";
import { keepSums, mergeMetrics, type MetricFamily, renderMetrics } from "../../src/observe/index.ts";

function family(name: string, type: MetricFamily["type"], value: number, labels = {}): MetricFamily {
  return { name, type, help: name, values: [{ labels, value }] };
}

const reading = (worker: string, scale: number) => ({
  worker,
  families: [
    family("swarmbase_http_requests_total", "counter", scale, { route: "/a" }),
    family("swarmbase_sockets", "gauge", scale),
    family("swarmbase_webhook_backlog", "gauge", 7, { class: "fan_out" }),
    family("process_cpu_seconds_total", "counter", scale),
  ],
});

test("counters of the service are sums, gauges name the worker, and what is the same for all is taken once", async () => {
  const text = await renderMetrics(mergeMetrics([reading("1", 1), reading("2", 10)]));
  const values = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  assert.deepEqual(values, [
    'swarmbase_http_requests_total{route="/a"} 11',
    'swarmbase_sockets{worker="1"} 1',
    'swarmbase_sockets{worker="2"} 10',
    'swarmbase_webhook_backlog{class="fan_out"} 7',
    'process_cpu_seconds_total{worker="1"} 1',
    'process_cpu_seconds_total{worker="2"} 10',
  ]);
});

test("a worker that has ended stays in the sums only", () => {
  const merged = mergeMetrics([reading("1", 1), keepSums(reading("2", 10))]);
  assert.deepEqual(
    merged.map(({ name, values }) => [name, values.map(({ value }) => value)]),
    [
      ["swarmbase_http_requests_total", [11]],
      ["swarmbase_sockets", [1]],
      ["swarmbase_webhook_backlog", [7]],
      ["process_cpu_seconds_total", [1]],
    ],
  );
});
