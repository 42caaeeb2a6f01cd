import assert from "node:assert/strict";
import net from "node:net";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { openMetricsServer } from "../../src/http/index.ts";
import { createMeter, createObserver, OBSERVATIONS } from "../../src/observe/index.ts";
import { GAUGES, METRICS } from "../../src/observe/metric-table.ts";

test("observations are counted and measured at every log level", async () => {
  const meter = createMeter();
  const destination = new PassThrough();
  const observer = createObserver({ level: "warn", format: "json", destination, meter });
  for (const durationMs of [3, 700]) {
    observer.child({ node: 1 }).note("request.completed", {
      method: "GET",
      route: "/rest/v1/*",
      status: 200,
      path: "/rest/v1/agents",
      durationMs,
    });
  }
  observer.note("run.turn_ended", {
    framework: "provider_a",
    model: "m",
    outcome: "completed",
    inputTokens: 12,
    outputTokens: 30,
  });
  const text = await meter.render();
  assert.equal(destination.read(), null);
  assert.match(text, /^swarmbase_http_requests_total\{method="GET",route="\/rest\/v1\/\*",status="200"\} 2$/m);
  assert.match(text, /^swarmbase_http_request_seconds_bucket\{le="0.005",route="\/rest\/v1\/\*"\} 1$/m);
  assert.match(text, /^swarmbase_http_request_seconds_sum\{route="\/rest\/v1\/\*"\} 0.703$/m);
  assert.match(text, /^swarmbase_input_tokens_total\{framework="provider_a",model="m"\} 12$/m);
  assert.match(text, /^swarmbase_output_tokens_total\{framework="provider_a",model="m"\} 30$/m);
  assert.doesNotMatch(text, /v1\/agents/, "labels are of the closed list alone");
});

test("a gauge is read at each scrape, and one that fails is omitted", async () => {
  const meter = createMeter();
  let value = 1;
  meter.gauge("swarmbase_sockets", () => [{ labels: {}, value }]);
  meter.gauge("swarmbase_runs_waiting", async () => Promise.reject(new Error("away")));
  assert.match(await meter.render(), /^swarmbase_sockets 1$/m);
  value = 0;
  const text = await meter.render();
  assert.match(text, /^swarmbase_sockets 0$/m);
  assert.doesNotMatch(text, /^swarmbase_runs_waiting\{/m);
});

test("a gauge without labels that has no value is omitted, also after it had one", async () => {
  const meter = createMeter();
  let values = [7];
  meter.addGauge({ name: "swarmbase_backup_test", help: "x" }, () => values.map((value) => ({ labels: {}, value })));
  assert.match(await meter.render(), /^swarmbase_backup_test 7$/m);
  values = [];
  assert.doesNotMatch(await meter.render(), /^swarmbase_backup_test /m);
});

test("a gauge that hangs does not delay the others", async () => {
  const meter = createMeter();
  meter.gauge("swarmbase_runs_waiting", () => new Promise(() => {}));
  meter.gauge("swarmbase_sockets", () => [{ labels: {}, value: 3 }]);
  const text = await meter.render();
  assert.match(text, /^swarmbase_sockets 3$/m);
  assert.doesNotMatch(text, /^swarmbase_runs_waiting\{/m);
});

test("every metric uses existing observations, and has a unique name", () => {
  const names = [...METRICS.map(({ name }) => name), ...Object.keys(GAUGES)];
  assert.equal(new Set(names).size, names.length);
  for (const { on, name } of METRICS) {
    assert.match(name, /^swarmbase_[a-z_]+$/);
    for (const observation of on) assert.ok(observation in OBSERVATIONS, observation);
  }
});

test("metrics are served over plain HTTP under one path, and nothing else is", async () => {
  const server = await openMetricsServer({
    host: "127.0.0.1",
    port: 0,
    contentType: "text/plain; version=0.0.4",
    timeouts: { headersTimeoutMs: 1_000, requestTimeoutMs: 1_000 },
    render: async () => "a 1\n",
  });
  try {
    const address = `http://127.0.0.1:${server.port}`;
    const found = await fetch(`${address}/metrics`);
    assert.equal(found.status, 200);
    assert.equal(found.headers.get("content-type"), "text/plain; version=0.0.4");
    assert.equal(await found.text(), "a 1\n");
    const missing = await fetch(`${address}/`);
    assert.equal(missing.status, 404);
    for (const { headers } of [found, missing]) assert.equal(headers.get("cache-control"), "no-store");
    assert.equal((await fetch(`${address}/metrics`, { method: "POST" })).status, 404);
    const slow = net.connect({ host: "127.0.0.1", port: server.port });
    slow.write("GET /metrics HTTP/1.1\r\n");
    let answer = "";
    for await (const chunk of slow) answer += String(chunk);
    assert.match(answer, /^HTTP\/1.1 408 /);
    await assert.rejects(
      openMetricsServer({
        host: "127.0.0.1",
        port: server.port,
        contentType: "",
        timeouts: { headersTimeoutMs: 1_000, requestTimeoutMs: 1_000 },
        render: async () => "",
      }),
      /METRICS_PORT/,
    );
  } finally {
    await server.close();
  }
});
