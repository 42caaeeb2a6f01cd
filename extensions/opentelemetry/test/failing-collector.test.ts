import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ExportResultCode } from "@opentelemetry/core";
import type { LogLine, MetricFamily, Telemetry } from "swarmbase/extension";
import { type Collector, startCollector } from "../../../server/test/support/collector.ts";
import { findFreePort } from "../../../server/test/support/free-port.ts";
import { ExportReports } from "../src/export-reports.ts";
import { extension } from "../src/index.ts";
import { until } from "../../../server/test/support/until.ts";
import { WAIT_MS } from "../../../server/test/support/wait-limit.ts";

const QUEUE = 100;
const LINE: LogLine = { level: "info", event: "service.started", message: "serving", fields: {} };

interface Opened {
  readonly telemetry: Telemetry;
  readonly notes: string[];
  readonly failures: { readonly message: string; readonly error: unknown }[];
}

async function open(environment: Readonly<Record<string, string>>): Promise<Opened> {
  const notes: string[] = [];
  const failures: Opened["failures"] = [];
  const telemetry = await extension.telemetry?.open({
    environment: {
      OTEL_BSP_MAX_QUEUE_SIZE: String(QUEUE),
      OTEL_BLRP_MAX_QUEUE_SIZE: String(QUEUE),
      OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: "http/json",
      ...environment,
    },
    version: "1.2.3",
    readMetrics: async (): Promise<readonly MetricFamily[]> => [],
    note: (message) => void notes.push(message),
    fail: (message, error) => void failures.push({ message, error }),
  });
  assert.ok(telemetry);
  return { telemetry, notes, failures };
}

describe("a collector that fails", () => {
  let collector: Collector;
  before(async () => {
    collector = await startCollector();
  });
  after(() => collector.close());

  test("costs one log line, and its recovery another", async () => {
    collector.status = 400;
    const { telemetry, notes, failures } = await open({
      OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: `${collector.url}/v1/logs`,
      OTEL_BLRP_SCHEDULE_DELAY: "1",
    });
    for (let sent = 0; sent < 3; sent += 1) {
      const before = collector.received.length;
      telemetry.onLine?.(LINE);
      await until(() => collector.received.length > before);
    }
    await until(() => failures.length > 0);
    assert.equal(failures.length, 1);
    assert.equal(failures[0]?.message, "logs cannot be exported (1 failed), retrying");
    collector.status = 200;
    telemetry.onLine?.(LINE);
    await until(() => notes.length > 0);
    assert.deepEqual(notes, ["logs are exported again"]);
    await telemetry.close();
  });

  test("loses what exceeds the queue, and sends the rest when it can", async () => {
    collector.received.length = 0;
    const { telemetry } = await open({
      OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: `${collector.url}/v1/logs`,
      OTEL_BLRP_SCHEDULE_DELAY: "600000",
      OTEL_BLRP_MAX_EXPORT_BATCH_SIZE: String(QUEUE),
    });
    // The queue is exported when a batch is full; all of these arrive before the first export has ended.
    for (let line = 0; line < QUEUE * 50; line += 1) telemetry.onLine?.(LINE);
    await telemetry.close();
    assert.ok(collector.logs().length <= QUEUE * 2, `${collector.logs().length} records`);
    assert.ok(collector.logs().length >= QUEUE);
  });
});

test("an unreachable collector delays the end of the service by a few seconds at most", async () => {
  const { telemetry } = await open({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await findFreePort()}`,
    OTEL_EXPORTER_OTLP_TIMEOUT: "600000",
  });
  telemetry.onLine?.(LINE);
  telemetry.tracerProvider?.getTracer("test").startSpan("lost").end();
  const startedMs = performance.now();
  await telemetry.close();
  const tookMs = performance.now() - startedMs;
  assert.ok(tookMs < WAIT_MS, `${tookMs} ms`);
});

test("failures are repeated in the log every ten minutes, for each signal alone, without the response", () => {
  const failures: string[] = [];
  let nowMs = 0;
  const reports = new ExportReports(
    {
      note: () => {},
      fail: (message, error) => void failures.push(`${message}: ${String(error)}`),
    },
    () => nowMs,
  );
  const error = Object.assign(new Error("Bad Request"), { code: 400, data: "secret response" });
  const fail = (signal: "traces" | "logs"): void => reports.record(signal, { code: ExportResultCode.FAILED, error });
  for (nowMs = 0; nowMs < 1_200_000; nowMs += 5_000) fail("traces");
  fail("logs");
  assert.deepEqual(failures, [
    "traces cannot be exported (1 failed), retrying: Error: Bad Request (400)",
    "traces cannot be exported (121 failed), retrying: Error: Bad Request (400)",
    "logs cannot be exported (1 failed), retrying: Error: Bad Request (400)",
  ]);
});
