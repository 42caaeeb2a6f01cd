// In charge of: the port of extensions: loading and checking what EXTENSIONS names, and joining its parts to the service.
// Not in charge of: what an extension does, or applying its SQL (db).
import type { describeInterface as DescribeInterface } from "./describe-interface.ts";
import type { LoadedExtension } from "./load-extensions.ts";
import type { OpenedExtensions, OpenExtensionsOptions } from "./open-extensions.ts";

export type { CorePorts } from "./extension-core.ts";
export { type LoadedExtension, loadExtensions, protocolsOf } from "./load-extensions.ts";
export { describeServer } from "./describe-server.ts";
export { openTelemetry, type OpenTelemetryOptions } from "./open-telemetry.ts";
export type { Telemetry } from "./port.ts";
export type { OpenedExtensions } from "./open-extensions.ts";
export type { CommandDatabase, ExtensionCommandContext, ExtensionFinding } from "./port.ts";
export type { ServerCopies, ServerCopy } from "./server-port.ts";

/** Loaded when a service starts: the commands of extensions need few of the modules that it joins them to. */
export async function openExtensions(options: OpenExtensionsOptions): Promise<OpenedExtensions> {
  const { openExtensions: open } = await import("./open-extensions.ts");
  return open(options);
}

/** Loaded when the database is prepared, because the names of the core are in all its modules. */
export async function rejectCoreNames(loaded: readonly LoadedExtension[]): Promise<void> {
  const { rejectCoreNames: reject } = await import("./reject-core-names.ts");
  reject(loaded);
}

/** Loaded when a document is generated, for the same reason. */
export async function describeInterface(): Promise<ReturnType<typeof DescribeInterface>> {
  const { describeInterface: describe } = await import("./describe-interface.ts");
  return describe();
}
