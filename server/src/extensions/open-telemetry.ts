import type { Observer } from "../observe/index.ts";
import type { LoadedExtension } from "./load-extensions.ts";
import type { Telemetry, TelemetryContext } from "./port.ts";

export interface OpenTelemetryOptions extends Pick<TelemetryContext, "version" | "readMetrics"> {
  /** The log, which itself passes its lines to the telemetry and so is opened after it; null until then. */
  findObserver(): Observer | null;
}

/** Opens the telemetry of the loaded extensions, of which at most one has some. Null means that nothing is exported. */
export async function openTelemetry(
  extensions: readonly LoadedExtension[],
  { version, readMetrics, findObserver }: OpenTelemetryOptions,
): Promise<Telemetry | null> {
  const found = extensions.find(({ extension }) => extension.telemetry !== undefined);
  if (found?.extension.telemetry === undefined) return null;
  const { name, telemetry } = found.extension;
  return telemetry.open({
    environment: found.variables,
    version,
    readMetrics,
    note: (message, fields = {}) =>
      findObserver()?.note("extension.note", { ...fields, extension: name, note: message }),
    fail: (message, error) => findObserver()?.note("extension.failed", { extension: name, note: message, error }),
  });
}
