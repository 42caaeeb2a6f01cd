import type { Settings } from "../config/index.ts";
import type { LoadedExtension, OpenTelemetryOptions, Telemetry } from "../extensions/index.ts";
import { createMeter, createObserver, type Meter, type Observer, type TraceSource } from "../observe/index.ts";
import type { CommandContext } from "./command.ts";

export interface Observability {
  readonly observer: Observer;
  /** Null when nothing reads metrics. */
  readonly meter: Meter | null;
  /** Null when nothing exports traces. */
  readonly traceSource: TraceSource | null;
  /** Sends what telemetry has buffered. Must be called last. */
  close(): Promise<void>;
}

/** Opens the log and the metrics of a service, and the telemetry that an extension exports. */
export async function openObservability(
  settings: Settings,
  extensions: readonly LoadedExtension[],
  options: Pick<CommandContext, "stdout" | "version"> & { readonly format: "json" | "pretty" },
): Promise<Observability> {
  const { logLevel: level, accessLogEnabled: hasAccessLog, metricsPort } = settings;
  const { stdout: destination, version, format } = options;
  let observer: Observer | null = null;
  let meter: Meter | null = null;
  const telemetry = await openTelemetryOf(extensions, {
    version,
    readMetrics: async () => (await meter?.read()) ?? [],
    findObserver: () => observer,
  });
  const taps = extensions.map(({ observation }) => observation);
  if (metricsPort > 0 || telemetry?.hasMetrics === true || taps.some(({ hasMetrics }) => hasMetrics === true))
    meter = createMeter();
  const onLine = joinListeners([telemetry?.onLine, ...taps.map((tap) => tap.onLine?.bind(tap))]);
  const onRequest = joinListeners(taps.map((tap) => tap.onRequest?.bind(tap)));
  observer = createObserver({ level, format, destination, meter, hasAccessLog, onLine, onRequest });
  const { tracerProvider = null, propagates = false } = telemetry ?? {};
  return {
    observer,
    meter,
    traceSource: tracerProvider === null ? null : { tracerProvider, propagates },
    close: async () => telemetry?.close(),
  };
}

/** Undefined when nobody listens. */
function joinListeners<Observed>(
  found: readonly (((observed: Observed) => void) | null | undefined)[],
): ((observed: Observed) => void) | undefined {
  const listeners = found.filter((listener) => typeof listener === "function");
  if (listeners.length <= 1) return listeners[0];
  return (observed) => {
    for (const listener of listeners) listener(observed);
  };
}

/** Without an extension that has telemetry, nothing is imported. */
async function openTelemetryOf(
  extensions: readonly LoadedExtension[],
  options: OpenTelemetryOptions,
): Promise<Telemetry | null> {
  if (extensions.every(({ extension }) => extension.telemetry === undefined)) return null;
  const { openTelemetry } = await import("../extensions/index.ts");
  return openTelemetry(extensions, options);
}
