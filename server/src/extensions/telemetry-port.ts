import type { TracerProvider } from "@opentelemetry/api";
import type { LogLine, MetricFamily } from "../observe/index.ts";

export interface ExtensionTelemetry {
  /** What is wrong with the declared variables, each fault with the name of its variable; empty when the service can start. */
  findFaults?(environment: TelemetryContext["environment"]): readonly string[];
  /** Called once, before the service starts. Null means that the environment asks for no telemetry. */
  open(context: TelemetryContext): Promise<Telemetry | null>;
}

export interface TelemetryContext {
  /** The variables of `standardVariables` that are set. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The service's version. */
  readonly version: string;
  /** The metrics of the metrics endpoint with their current values. Empty until the service has started. */
  readMetrics(): Promise<readonly MetricFamily[]>;
  /** Writes the log event `extension.note`, once the service starts. */
  note(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** The same for a failure: the log event `extension.failed`. */
  fail(message: string, error: unknown): void;
}

export interface Telemetry {
  /** Creates the spans of requests, statements, deliveries and runs. Null means that there are none. */
  readonly tracerProvider: TracerProvider | null;
  /** Whether trace context is accepted from callers and sent to webhooks, models and tools. */
  readonly propagates: boolean;
  /** Whether `readMetrics` is called, so that the service measures also without a metrics endpoint. */
  readonly hasMetrics: boolean;
  /** Receives each log line, with its secrets removed. Must neither throw nor wait. Null means that lines are not wanted. */
  readonly onLine: ((line: LogLine) => void) | null;
  /** Sends what is buffered and ends. Resolves in a bounded time. */
  close(): Promise<void>;
}
