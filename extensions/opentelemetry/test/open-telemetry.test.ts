import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ROOT_CONTEXT, trace, TraceFlags, type TracerProvider } from "@opentelemetry/api";
import type { Telemetry } from "swarmbase/extension";
import { startCollector } from "../../../server/test/support/collector.ts";
import { extension } from "../src/index.ts";

const TRACES = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://127.0.0.1:9/v1/traces" };

async function open(environment: Readonly<Record<string, string>>): Promise<Telemetry> {
  const telemetry = await extension.telemetry?.open({
    environment,
    version: "1.2.3",
    readMetrics: async () => [],
    note: () => {},
    fail: () => {},
  });
  assert.ok(telemetry);
  return telemetry;
}

/** Whether a span is recorded as a root, and below a caller's span with and without the sampled flag. */
function sample(provider: TracerProvider | null): readonly boolean[] {
  assert.ok(provider !== null);
  const remote = (traceFlags: TraceFlags) =>
    trace.setSpanContext(ROOT_CONTEXT, { traceId: "a".repeat(32), spanId: "b".repeat(16), traceFlags, isRemote: true });
  const contexts = [ROOT_CONTEXT, remote(TraceFlags.SAMPLED), remote(TraceFlags.NONE)];
  return contexts.map((context) => provider.getTracer("test").startSpan("one", {}, context).isRecording());
}

describe("a sampler decides about roots, and about traces that a caller has or has not sampled", () => {
  const cases: readonly [Readonly<Record<string, string>>, readonly boolean[]][] = [
    [{}, [true, true, false]],
    [{ OTEL_TRACES_SAMPLER: "always_on" }, [true, true, true]],
    [{ OTEL_TRACES_SAMPLER: "always_off" }, [false, false, false]],
    [{ OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "0" }, [false, false, false]],
    [{ OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "0" }, [false, true, false]],
    [{ OTEL_TRACES_SAMPLER: "parentbased_always_off" }, [false, true, false]],
  ];
  for (const [variables, expected] of cases)
    test(Object.values(variables).join(" ") || "the default", async () => {
      const telemetry = await open({ ...TRACES, ...variables });
      assert.deepEqual(sample(telemetry.tracerProvider), expected);
      await telemetry.close();
    });
});

test("only the signals that have an endpoint and an exporter are open", async () => {
  const telemetry = await open({ ...TRACES, OTEL_PROPAGATORS: "none" });
  const { tracerProvider, hasMetrics, onLine, propagates } = telemetry;
  assert.deepEqual([tracerProvider === null, hasMetrics, onLine, propagates], [false, false, null, false]);
  await telemetry.close();
});

test("a tracer that a preload has registered is left in place and receives the spans instead", async () => {
  const registered: TracerProvider = { getTracer: () => trace.getTracer("preload") };
  assert.ok(trace.setGlobalTracerProvider(registered));
  const telemetry = await open(TRACES);
  assert.equal(telemetry.tracerProvider, null);
  await telemetry.close();
  assert.equal(trace.setGlobalTracerProvider(registered), false, "the registration stays");
  trace.disable();
});

test("spans and metrics leave as JSON with http/json", async () => {
  const collector = await startCollector();
  const telemetry = await open({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
  });
  telemetry.tracerProvider?.getTracer("test").startSpan("an operation").end();
  await telemetry.close();
  await collector.close();
  const request = collector.received.find(({ path }) => path === "/v1/traces");
  assert.equal(request?.headers["content-type"], "application/json");
  assert.match(request.body.toString(), /"name":"an operation"/);
});
