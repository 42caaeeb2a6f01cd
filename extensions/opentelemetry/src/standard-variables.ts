import type { StandardVariable } from "swarmbase/extension";

export const SIGNALS = ["traces", "metrics", "logs"] as const;
export type Signal = (typeof SIGNALS)[number];

/** A setting of the exporter, which a variable can set for all signals and another one for each signal. */
interface ExporterSetting {
  readonly suffix: string;
  readonly accepts: string;
  readonly default: string | null;
  readonly description: string;
  readonly secret?: boolean;
}

const EXPORTER_SETTINGS: readonly ExporterSetting[] = [
  {
    suffix: "PROTOCOL",
    accepts: "`http/protobuf` or `http/json`",
    default: "`http/protobuf`",
    description: "Encoding of the requests. gRPC is not supported.",
  },
  {
    suffix: "HEADERS",
    accepts: "`name=value` pairs, separated by commas; values may be percent-encoded",
    default: null,
    description: "Headers of the requests, such as the key of a vendor.",
    secret: true,
  },
  {
    suffix: "TIMEOUT",
    accepts: "milliseconds",
    default: "`10000`",
    description: "Time for one export, with its retries.",
  },
  {
    suffix: "COMPRESSION",
    accepts: "`gzip` or `none`",
    default: "`none`",
    description: "Compression of the requests.",
  },
  {
    suffix: "CERTIFICATE",
    accepts: "a path",
    default: null,
    description: "Certificates in PEM format that are trusted for the collector, instead of the system's.",
  },
  {
    suffix: "CLIENT_CERTIFICATE",
    accepts: "a path",
    default: null,
    description: "Certificate chain in PEM format that identifies the service to the collector.",
  },
  {
    suffix: "CLIENT_KEY",
    accepts: "a path",
    default: null,
    description: "Private key of the client certificate in PEM format.",
  },
];

const MILLISECONDS = "milliseconds";

export const STANDARD_VARIABLES: readonly StandardVariable[] = [
  {
    name: "OTEL_EXPORTER_OTLP_ENDPOINT",
    accepts: "an http:// or https:// address",
    default: null,
    description:
      "Base address of an OTLP collector. Traces, metrics and logs are sent to `/v1/traces`, `/v1/metrics` and `/v1/logs` below it. Without an endpoint nothing is exported.",
  },
  ...SIGNALS.map((signal) => ({
    name: `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_ENDPOINT`,
    accepts: "an http:// or https:// address",
    default: null,
    description: `Address that ${signal} are sent to, used as it is.`,
  })),
  ...SIGNALS.map((signal) => ({
    name: `OTEL_${signal.toUpperCase()}_EXPORTER`,
    accepts: "`otlp` or `none`",
    default: "`otlp`",
    description: `\`none\`: ${signal} are not exported.`,
  })),
  {
    name: "OTEL_SDK_DISABLED",
    accepts: "`true` or `false`",
    default: "`false`",
    description: "`true`: nothing is exported, whatever the other variables say.",
  },
  {
    name: "OTEL_SERVICE_NAME",
    accepts: "text",
    default: "`swarmbase`",
    description: "The resource attribute `service.name`.",
  },
  {
    name: "OTEL_RESOURCE_ATTRIBUTES",
    accepts: "`name=value` pairs, separated by commas; values may be percent-encoded",
    default: null,
    description: "Further attributes of the resource, such as `deployment.environment.name=production`.",
  },
  {
    name: "OTEL_TRACES_SAMPLER",
    accepts:
      "`always_on`, `always_off`, `traceidratio`, `parentbased_always_on`, `parentbased_always_off` or `parentbased_traceidratio`",
    default: "`parentbased_always_on`",
    description:
      "Which traces are recorded. With `parentbased_…`, the sampled flag of a caller's `traceparent` decides.",
  },
  {
    name: "OTEL_TRACES_SAMPLER_ARG",
    accepts: "a number from 0 to 1",
    default: "`1`",
    description: "Part of the traces that the `traceidratio` samplers record.",
  },
  {
    name: "OTEL_PROPAGATORS",
    accepts: "names, separated by commas",
    default: "`tracecontext,baggage`",
    description:
      "Without `tracecontext`, a caller's `traceparent` is not accepted, and none is sent to webhooks, models and tools. Other formats are not supported.",
  },
  ...EXPORTER_SETTINGS.flatMap(({ suffix, ...row }) => [
    { ...row, name: `OTEL_EXPORTER_OTLP_${suffix}` },
    ...SIGNALS.map((signal) => ({
      ...row,
      name: `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_${suffix}`,
      default: `the value of \`OTEL_EXPORTER_OTLP_${suffix}\``,
      description: `The same for ${signal} alone.`,
    })),
  ]),
  {
    name: "OTEL_METRIC_EXPORT_INTERVAL",
    accepts: MILLISECONDS,
    default: "`60000`",
    description: "Time between two exports of the metrics.",
  },
  {
    name: "OTEL_METRIC_EXPORT_TIMEOUT",
    accepts: MILLISECONDS,
    default: "`30000`",
    description: "Time for one export of the metrics; at most the interval.",
  },
  ...[
    { prefix: "OTEL_BSP", items: "spans", delayMs: 5_000 },
    { prefix: "OTEL_BLRP", items: "log records", delayMs: 1_000 },
  ].flatMap(({ prefix, items, delayMs }) => [
    {
      name: `${prefix}_SCHEDULE_DELAY`,
      accepts: MILLISECONDS,
      default: `\`${delayMs}\``,
      description: `Time between two exports of ${items}.`,
    },
    {
      name: `${prefix}_MAX_QUEUE_SIZE`,
      accepts: "a whole number",
      default: "`2048`",
      description: `Number of ${items} that wait for an export; further ones are dropped.`,
    },
    {
      name: `${prefix}_MAX_EXPORT_BATCH_SIZE`,
      accepts: "a whole number",
      default: "`512`",
      description: `Number of ${items} in one request.`,
    },
  ]),
];
