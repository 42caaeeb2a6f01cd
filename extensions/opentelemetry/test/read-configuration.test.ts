import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfiguration } from "../src/read-configuration.ts";
import { STANDARD_VARIABLES } from "../src/standard-variables.ts";

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector.example:4318/" };

function read(variables: Readonly<Record<string, string>>) {
  const { configuration, faults } = readConfiguration({ ...ENDPOINT, ...variables });
  assert.deepEqual(faults, []);
  assert.ok(configuration !== null);
  return configuration;
}

test("without an endpoint, or with OTEL_SDK_DISABLED, nothing is exported and no value is checked", () => {
  const invalid = { OTEL_TRACES_SAMPLER: "nonsense", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" };
  const expected = { configuration: null, faults: [] };
  assert.deepEqual(readConfiguration(invalid), expected);
  assert.deepEqual(readConfiguration({ ...ENDPOINT, ...invalid, OTEL_SDK_DISABLED: "TRUE" }), expected);
});

test("one endpoint exports all signals below it, with the defaults of the standard", () => {
  const { signals, sampler, propagates, metricIntervalMs, spanQueue, logQueue } = read({});
  const urls = Object.values(signals).map((signal) => signal?.url.replace("https://collector.example:4318", ""));
  assert.deepEqual(urls, ["/v1/traces", "/v1/metrics", "/v1/logs"]);
  assert.deepEqual(
    [signals.traces?.protocol, signals.traces?.timeoutMs, signals.traces?.compression],
    ["http/protobuf", 10_000, "none"],
  );
  assert.deepEqual(
    [sampler, propagates, metricIntervalMs],
    [{ name: "parentbased_always_on", ratio: 1 }, true, 60_000],
  );
  assert.deepEqual(spanQueue, { delayMs: 5_000, maxQueueSize: 2_048, maxBatchSize: 512 });
  assert.deepEqual(logQueue, { delayMs: 1_000, maxQueueSize: 2_048, maxBatchSize: 512 });
});

test("a signal has its own endpoint, protocol, headers and timeout, and can be turned off", () => {
  const { signals } = read({
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20all,x-a=1",
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://traces.example/in",
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/json",
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: "authorization=Bearer traces",
    OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: "500",
    OTEL_METRICS_EXPORTER: "none",
  });
  const { url, protocol, headers, timeoutMs } = signals.traces ?? {};
  assert.deepEqual([url, protocol, timeoutMs], ["http://traces.example/in", "http/json", 500]);
  assert.deepEqual(headers, { authorization: "Bearer traces", "x-a": "1" });
  assert.equal(signals.metrics, null);
  assert.deepEqual(signals.logs?.headers, { authorization: "Bearer all", "x-a": "1" });
  const { configuration } = readConfiguration({ OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: "http://logs.example/in" });
  assert.deepEqual([configuration?.signals.traces, configuration?.signals.metrics], [null, null]);
  assert.equal(configuration?.signals.logs?.url, "http://logs.example/in");
});

test("service name, resource attributes, sampler and propagators are read", () => {
  const { resourceAttributes, sampler, propagates, metricTimeoutMs } = read({
    OTEL_SERVICE_NAME: "rooms",
    OTEL_RESOURCE_ATTRIBUTES: "service.name=other,team=a%2Cb",
    OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
    OTEL_TRACES_SAMPLER_ARG: "0.25",
    OTEL_PROPAGATORS: "none",
    OTEL_METRIC_EXPORT_INTERVAL: "5000",
  });
  assert.deepEqual(resourceAttributes, { "service.name": "rooms", team: "a,b" });
  assert.deepEqual([sampler, propagates], [{ name: "parentbased_traceidratio", ratio: 0.25 }, false]);
  assert.equal(metricTimeoutMs, 5_000);
});

const REJECTED: readonly [string, string, RegExp][] = [
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318", /http:\/\/ or https:\/\//],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "https://ada:secret@collector", /without a user name/],
  ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", /one of http\/protobuf, http\/json/],
  ["OTEL_EXPORTER_OTLP_HEADERS", "secret", /name=value/],
  ["OTEL_EXPORTER_OTLP_HEADERS", "x-a=secret%0d%0aHost: evil", /valid names and values/],
  ["OTEL_EXPORTER_OTLP_HEADERS", "x-a=secret%zz", /name=value/],
  ["OTEL_EXPORTER_OTLP_TIMEOUT", "0", /whole number/],
  ["OTEL_EXPORTER_OTLP_TIMEOUT", "ten", /whole number/],
  ["OTEL_EXPORTER_OTLP_COMPRESSION", "zip", /one of gzip, none/],
  ["OTEL_EXPORTER_OTLP_CERTIFICATE", "/nowhere/secret.pem", /does not exist/],
  ["OTEL_TRACES_EXPORTER", "console", /one of otlp, none/],
  ["OTEL_TRACES_SAMPLER", "sometimes", /one of always_on/],
  ["OTEL_TRACES_SAMPLER_ARG", "1.5", /from 0 to 1/],
  ["OTEL_RESOURCE_ATTRIBUTES", "=secret", /name=value/],
  ["OTEL_BSP_MAX_QUEUE_SIZE", "99999999", /from 1 to 1000000/],
];

for (const [name, value, reason] of REJECTED)
  test(`${name}=${value} is rejected without printing the value`, () => {
    const { configuration, faults } = readConfiguration({ ...ENDPOINT, [name]: value });
    assert.equal(configuration, null);
    assert.equal(faults.length, 1);
    assert.match(faults[0] ?? "", reason);
    assert.ok(faults[0]?.startsWith(`${name} `));
    assert.doesNotMatch(faults[0] ?? "", /secret/);
  });

test("every variable that is read is declared", () => {
  const declared = new Set(STANDARD_VARIABLES.map(({ name }) => name));
  const read: string[] = [];
  const recording = new Proxy<Record<string, string>>(
    {},
    {
      get(_target, name) {
        read.push(String(name));
        return name === "OTEL_EXPORTER_OTLP_ENDPOINT" ? ENDPOINT[name] : undefined;
      },
    },
  );
  assert.ok(readConfiguration(recording).configuration !== null);
  assert.deepEqual(
    [...new Set(read)].filter((name) => !declared.has(name)),
    [],
  );
  assert.ok(new Set(read).size > 30);
});
