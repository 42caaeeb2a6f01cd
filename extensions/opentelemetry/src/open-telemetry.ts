import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { context as contextApi, trace, type TracerProvider as TracerProviderApi } from "@opentelemetry/api";
import { type AnyValue, type AnyValueMap, type LogRecord, SeverityNumber } from "@opentelemetry/api-logs";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { defaultResource, type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import { BatchLogRecordProcessor, LoggerProvider } from "@opentelemetry/sdk-logs";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { LogLine, Telemetry, TelemetryContext } from "swarmbase/extension";
import { ExportReports } from "./export-reports.ts";
import { createMetricBridge } from "./metric-bridge.ts";
import { createLogExporter, createMetricExporter, createTraceExporter } from "./otlp-exporters.ts";
import type { Configuration, QueueConfiguration } from "./read-configuration.ts";

const SEVERITIES: Readonly<Record<LogLine["level"], SeverityNumber>> = {
  trace: SeverityNumber.TRACE,
  debug: SeverityNumber.DEBUG,
  info: SeverityNumber.INFO,
  warn: SeverityNumber.WARN,
  error: SeverityNumber.ERROR,
  fatal: SeverityNumber.FATAL,
};

/** A collector that does not answer must not delay the end of the service by more than this. */
const CLOSE_TIMEOUT_MS = 3_000;
const MAX_ATTRIBUTE_CHARS = 65_536;
const MAX_ATTRIBUTES = 128;

interface Part {
  shutdown(): Promise<void>;
}

interface Opened {
  readonly configuration: Configuration;
  readonly context: TelemetryContext;
  readonly resource: Resource;
  readonly reports: ExportReports;
  readonly parts: Part[];
}

export function openTelemetry(configuration: Configuration, context: TelemetryContext): Telemetry {
  const opened: Opened = {
    configuration,
    context,
    resource: createResource(configuration, context.version),
    reports: new ExportReports(context),
    parts: [],
  };
  const { parts } = opened;
  openMetrics(opened);
  return {
    tracerProvider: openTraces(opened),
    propagates: configuration.propagates,
    hasMetrics: configuration.signals.metrics !== null,
    onLine: openLogs(opened),
    async close() {
      const closing = Promise.allSettled(parts.map((part) => part.shutdown()));
      await Promise.race([closing, sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
    },
  };
}

function createResource({ resourceAttributes }: Configuration, version: string): Resource {
  return defaultResource().merge(
    resourceFromAttributes({
      "service.name": "swarmbase",
      "service.version": version,
      "service.instance.id": randomUUID(),
      "host.name": hostname(),
      "process.pid": process.pid,
      ...resourceAttributes,
    }),
  );
}

/** Null when traces are not exported, or when a preload has registered a tracer, which then exports them. */
function openTraces({ configuration, resource, reports, parts }: Opened): TracerProviderApi | null {
  const { signals, sampler, spanQueue } = configuration;
  if (signals.traces === null) return null;
  const exporter = reports.watch("traces", createTraceExporter(signals.traces));
  const processor = new BatchSpanProcessor({ exporter, ...queueOptions(spanQueue) });
  const provider = new TracerProvider({
    resource,
    sampler: createSampler(sampler),
    spanProcessors: [processor],
    spanLimits: { attributeValueLengthLimit: MAX_ATTRIBUTE_CHARS, attributeCountLimit: MAX_ATTRIBUTES },
  });
  if (!trace.setGlobalTracerProvider(provider)) return null;
  const isContextOurs = contextApi.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  parts.push({
    async shutdown() {
      trace.disable();
      if (isContextOurs) contextApi.disable();
      await provider.shutdown();
    },
  });
  return provider;
}

function openMetrics({ configuration, context, resource, reports, parts }: Opened): void {
  const { signals, metricIntervalMs, metricTimeoutMs } = configuration;
  if (signals.metrics === null) return;
  const reader = new PeriodicExportingMetricReader({
    exporter: reports.watch("metrics", createMetricExporter(signals.metrics)),
    exportIntervalMillis: metricIntervalMs,
    exportTimeoutMillis: metricTimeoutMs,
    metricProducers: [createMetricBridge(() => context.readMetrics(), context.version)],
  });
  parts.push(new MeterProvider({ resource, readers: [reader] }));
}

function openLogs({ configuration, context, resource, reports, parts }: Opened): ((line: LogLine) => void) | null {
  const { signals, logQueue } = configuration;
  if (signals.logs === null) return null;
  const exporter = reports.watch("logs", createLogExporter(signals.logs));
  const provider = new LoggerProvider({
    resource,
    processors: [new BatchLogRecordProcessor({ exporter, ...queueOptions(logQueue) })],
    logRecordLimits: { attributeValueLengthLimit: MAX_ATTRIBUTE_CHARS, attributeCountLimit: MAX_ATTRIBUTES },
  });
  parts.push(provider);
  const logger = provider.getLogger("swarmbase", context.version);
  return (line) => logger.emit(toLogRecord(line));
}

function queueOptions({ delayMs, maxQueueSize, maxBatchSize }: QueueConfiguration) {
  return { scheduledDelayMillis: delayMs, maxQueueSize, maxExportBatchSize: maxBatchSize };
}

function createSampler({ name, ratio }: Configuration["sampler"]): Sampler {
  const [, parent, own] = /^(parentbased_)?(.*)$/.exec(name) ?? [];
  const root =
    own === "traceidratio"
      ? new TraceIdRatioBasedSampler(ratio)
      : own === "always_off"
        ? new AlwaysOffSampler()
        : new AlwaysOnSampler();
  return parent === undefined ? root : new ParentBasedSampler({ root });
}

/** The record of a line. Its fields are attributes; an error gets the names of the conventions for exceptions. */
function toLogRecord({ level, event, message, fields }: LogLine): LogRecord {
  const { error, ...others } = fields;
  return {
    severityNumber: SEVERITIES[level],
    severityText: level,
    eventName: event,
    body: message,
    attributes: { ...definedOf(others), ...exceptionAttributes(error) },
  };
}

/** Redaction leaves nothing but JSON values, and fields that are not known. */
function definedOf(fields: LogLine["fields"]): AnyValueMap {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as AnyValueMap;
}

function exceptionAttributes(error: unknown): AnyValueMap {
  if (typeof error !== "object" || error === null) return error === undefined ? {} : { error: error as AnyValue };
  const { name, message, stack, ...others } = error as AnyValueMap;
  return {
    ...(name !== undefined && { "exception.type": name }),
    ...(message !== undefined && { "exception.message": message }),
    ...(stack !== undefined && { "exception.stacktrace": stack }),
    ...(Object.keys(others).length > 0 && { error: others }),
  };
}
