import { readFileSync } from "node:fs";
import { OTLPExporterBase } from "@opentelemetry/otlp-exporter-base";
import { createOtlpHttpExportDelegate, httpAgentFactoryFromOptions } from "@opentelemetry/otlp-exporter-base/node-http";
import {
  type IExporterMetricsHelper,
  type ISerializer,
  JsonLogsSerializer,
  JsonMetricsSerializer,
  JsonTraceSerializer,
  LogsExporterMetricsHelper,
  MetricsExporterMetricsHelper,
  ProtobufLogsSerializer,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
  TraceExporterMetricsHelper,
} from "@opentelemetry/otlp-transformer";
import type { ReadableLogRecord } from "@opentelemetry/sdk-logs";
import type { ResourceMetrics } from "@opentelemetry/sdk-metrics";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import type { SignalConfiguration } from "./read-configuration.ts";

/** Exports of one signal at the same time; a further one fails, and its items are dropped. */
const MAX_CONCURRENT_EXPORTS = 4;

interface Format<Items> {
  readonly json: ISerializer<Items, unknown>;
  readonly protobuf: ISerializer<Items, unknown>;
  readonly helper: IExporterMetricsHelper<Items>;
}

/** The classes of the exporter packages read the process's environment; these exporters use the configuration alone. */
export function createTraceExporter(signal: SignalConfiguration): OTLPExporterBase<ReadableSpan[]> {
  return createExporter<ReadableSpan[]>(signal, {
    json: JsonTraceSerializer,
    protobuf: ProtobufTraceSerializer,
    helper: TraceExporterMetricsHelper,
  });
}

export function createMetricExporter(signal: SignalConfiguration): OTLPExporterBase<ResourceMetrics> {
  return createExporter<ResourceMetrics>(signal, {
    json: JsonMetricsSerializer,
    protobuf: ProtobufMetricsSerializer,
    helper: MetricsExporterMetricsHelper,
  });
}

export function createLogExporter(signal: SignalConfiguration): OTLPExporterBase<ReadableLogRecord[]> {
  return createExporter<ReadableLogRecord[]>(signal, {
    json: JsonLogsSerializer,
    protobuf: ProtobufLogsSerializer,
    helper: LogsExporterMetricsHelper,
  });
}

function createExporter<Items>(
  signal: SignalConfiguration,
  { json, protobuf, helper }: Format<Items>,
): OTLPExporterBase<Items> {
  const isJson = signal.protocol === "http/json";
  const contentType = isJson ? "application/json" : "application/x-protobuf";
  const read = (path: string | null): Buffer | undefined => (path === null ? undefined : readFileSync(path));
  const [ca, cert, key] = [signal.certificateFile, signal.clientCertificateFile, signal.clientKeyFile].map(read);
  const delegate = createOtlpHttpExportDelegate(
    {
      url: signal.url,
      headers: async () => ({ ...signal.headers, "Content-Type": contentType }),
      timeoutMillis: signal.timeoutMs,
      concurrencyLimit: MAX_CONCURRENT_EXPORTS,
      compression: signal.compression,
      agentFactory: httpAgentFactoryFromOptions({
        keepAlive: true,
        ...(ca !== undefined && { ca }),
        ...(cert !== undefined && { cert }),
        ...(key !== undefined && { key }),
      }),
    },
    isJson ? json : protobuf,
    "swarmbase",
    helper,
    undefined,
  );
  return new OTLPExporterBase(delegate);
}
