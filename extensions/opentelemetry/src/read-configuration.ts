import { existsSync } from "node:fs";
import { type Signal, SIGNALS } from "./standard-variables.ts";

type Variables = Readonly<Record<string, string | undefined>>;

export interface SignalConfiguration {
  readonly url: string;
  readonly protocol: "http/protobuf" | "http/json";
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly compression: "gzip" | "none";
  readonly certificateFile: string | null;
  readonly clientCertificateFile: string | null;
  readonly clientKeyFile: string | null;
}

export interface QueueConfiguration {
  readonly delayMs: number;
  readonly maxQueueSize: number;
  readonly maxBatchSize: number;
}

export interface Configuration {
  /** Null means that the signal is not exported. */
  readonly signals: Readonly<Record<Signal, SignalConfiguration | null>>;
  readonly resourceAttributes: Readonly<Record<string, string>>;
  readonly sampler: { readonly name: string; readonly ratio: number };
  readonly propagates: boolean;
  readonly metricIntervalMs: number;
  readonly metricTimeoutMs: number;
  readonly spanQueue: QueueConfiguration;
  readonly logQueue: QueueConfiguration;
}

const SAMPLERS = ["always_on", "always_off", "traceidratio"].flatMap((name) => [name, `parentbased_${name}`]);
const MAX_INTEGER = 2_147_483_647;
const MAX_QUEUE = 1_000_000;
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;

/**
 * Reads the variables of OpenTelemetry. The configuration is null when they ask for no export; their values are then not checked,
 * because they may be meant for other programs. A fault names its variable and never contains a value.
 */
export function readConfiguration(variables: Variables): {
  readonly configuration: Configuration | null;
  readonly faults: readonly string[];
} {
  const isDisabled = variables["OTEL_SDK_DISABLED"]?.trim().toLowerCase() === "true";
  const hasEndpoint = ["", ...SIGNALS.map((signal) => `${signal.toUpperCase()}_`)].some(
    (part) => variables[`OTEL_EXPORTER_OTLP_${part}ENDPOINT`] !== undefined,
  );
  if (isDisabled || !hasEndpoint) return { configuration: null, faults: [] };
  const reader = new Reader(variables);
  const signals = {
    traces: readSignal(reader, "traces"),
    metrics: readSignal(reader, "metrics"),
    logs: readSignal(reader, "logs"),
  };
  const metricIntervalMs = reader.integer("OTEL_METRIC_EXPORT_INTERVAL", 60_000);
  const serviceName = reader.text("OTEL_SERVICE_NAME");
  const configuration: Configuration = {
    signals,
    resourceAttributes: {
      ...reader.pairs("OTEL_RESOURCE_ATTRIBUTES"),
      ...(serviceName !== null && { "service.name": serviceName }),
    },
    sampler: {
      name: reader.choice("OTEL_TRACES_SAMPLER", SAMPLERS, "parentbased_always_on"),
      ratio: reader.ratio("OTEL_TRACES_SAMPLER_ARG"),
    },
    propagates: (reader.text("OTEL_PROPAGATORS") ?? "tracecontext")
      .split(",")
      .some((name) => name.trim() === "tracecontext"),
    metricIntervalMs,
    metricTimeoutMs: Math.min(metricIntervalMs, reader.integer("OTEL_METRIC_EXPORT_TIMEOUT", 30_000)),
    spanQueue: readQueue(reader, "OTEL_BSP", 5_000),
    logQueue: readQueue(reader, "OTEL_BLRP", 1_000),
  };
  if (reader.faults.length > 0) return { configuration: null, faults: reader.faults };
  const isExported = Object.values(signals).some((signal) => signal !== null);
  return { configuration: isExported ? configuration : null, faults: [] };
}

function readSignal(reader: Reader, signal: Signal): SignalConfiguration | null {
  const part = signal.toUpperCase();
  if (reader.choice(`OTEL_${part}_EXPORTER`, ["otlp", "none"], "otlp") === "none") return null;
  const ownUrl = reader.url(`OTEL_EXPORTER_OTLP_${part}_ENDPOINT`);
  const baseUrl = reader.url("OTEL_EXPORTER_OTLP_ENDPOINT");
  if (ownUrl === null && baseUrl === null) return null;
  // The variable of the signal overrides that of all signals.
  const nameOf = (suffix: string): string => {
    const own = `OTEL_EXPORTER_OTLP_${part}_${suffix}`;
    return reader.text(own) === null ? `OTEL_EXPORTER_OTLP_${suffix}` : own;
  };
  return {
    url: ownUrl ?? `${(baseUrl ?? "").replace(/\/+$/, "")}/v1/${signal}`,
    protocol: reader.choice(nameOf("PROTOCOL"), ["http/protobuf", "http/json"] as const, "http/protobuf"),
    headers: {
      ...reader.headers("OTEL_EXPORTER_OTLP_HEADERS"),
      ...reader.headers(`OTEL_EXPORTER_OTLP_${part}_HEADERS`),
    },
    timeoutMs: reader.integer(nameOf("TIMEOUT"), 10_000),
    compression: reader.choice(nameOf("COMPRESSION"), ["gzip", "none"] as const, "none"),
    certificateFile: reader.file(nameOf("CERTIFICATE")),
    clientCertificateFile: reader.file(nameOf("CLIENT_CERTIFICATE")),
    clientKeyFile: reader.file(nameOf("CLIENT_KEY")),
  };
}

function readQueue(reader: Reader, prefix: string, delayMs: number): QueueConfiguration {
  const maxQueueSize = reader.integer(`${prefix}_MAX_QUEUE_SIZE`, 2_048, MAX_QUEUE);
  return {
    delayMs: reader.integer(`${prefix}_SCHEDULE_DELAY`, delayMs),
    maxQueueSize,
    maxBatchSize: Math.min(maxQueueSize, reader.integer(`${prefix}_MAX_EXPORT_BATCH_SIZE`, 512, MAX_QUEUE)),
  };
}

/** Reads single variables and collects what is wrong with them, each once. */
class Reader {
  readonly #faults = new Set<string>();
  readonly #variables: Variables;

  constructor(variables: Variables) {
    this.#variables = variables;
  }

  get faults(): readonly string[] {
    return [...this.#faults];
  }

  text(name: string): string | null {
    const text = this.#variables[name]?.trim();
    return text === undefined || text === "" ? null : text;
  }

  choice<Choice extends string>(name: string, choices: readonly Choice[], fallback: Choice): Choice {
    const text = this.text(name);
    if (text === null) return fallback;
    return (
      choices.find((choice) => choice === text) ?? this.#reject(name, `must be one of ${choices.join(", ")}`, fallback)
    );
  }

  integer(name: string, fallback: number, max = MAX_INTEGER): number {
    const text = this.text(name);
    if (text === null) return fallback;
    const value = /^[1-9]\d*$/.test(text) ? Number(text) : Number.NaN;
    return value <= max ? value : this.#reject(name, `must be a whole number from 1 to ${max}`, fallback);
  }

  ratio(name: string): number {
    const text = this.text(name);
    if (text === null) return 1;
    const value = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN;
    return value <= 1 ? value : this.#reject(name, "must be a number from 0 to 1", 1);
  }

  url(name: string): string | null {
    const text = this.text(name);
    if (text === null) return null;
    const url = URL.parse(text);
    const isHttp = url !== null && ["http:", "https:"].includes(url.protocol) && url.username === "";
    return isHttp ? text : this.#reject(name, "must be an http:// or https:// address without a user name", null);
  }

  file(name: string): string | null {
    const path = this.text(name);
    return path === null || existsSync(path) ? path : this.#reject(name, "names a file that does not exist", null);
  }

  pairs(name: string): Readonly<Record<string, string>> {
    const entries = (this.text(name) ?? "")
      .split(",")
      .filter((pair) => pair.trim() !== "")
      .map((pair) => parsePair(pair));
    const pairs = entries.filter((entry) => entry !== null);
    if (pairs.length < entries.length) return this.#reject(name, "must be name=value pairs, separated by commas", {});
    return Object.fromEntries(pairs);
  }

  headers(name: string): Readonly<Record<string, string>> {
    const pairs = this.pairs(name);
    const areValid = Object.entries(pairs).every(([key, value]) => HEADER_NAME.test(key) && HEADER_VALUE.test(value));
    return areValid ? pairs : this.#reject(name, "must have valid names and values of headers", {});
  }

  #reject<T>(name: string, reason: string, fallback: T): T {
    this.#faults.add(`${name} ${reason}`);
    return fallback;
  }
}

function parsePair(pair: string): readonly [string, string] | null {
  const at = pair.indexOf("=");
  const name = pair.slice(0, Math.max(0, at)).trim();
  if (name === "") return null;
  try {
    return [decodeURIComponent(name), decodeURIComponent(pair.slice(at + 1).trim())];
  } catch {
    return null;
  }
}
