// In charge of: the port of extensions: loading and checking what EXTENSIONS names, and joining its parts to the service.
// Not in charge of: what an extension does, or applying its SQL (db).
export type { CoreParts } from "./extension-core.ts";
export { describeInterface } from "./describe-interface.ts";
export { type LoadedExtension, loadExtensions, protocolsOf } from "./load-extensions.ts";
export { describeServer } from "./describe-server.ts";
export { openTelemetry, type OpenTelemetryOptions } from "./open-telemetry.ts";
export type { Telemetry } from "./port.ts";
export { type OpenedExtensions, openExtensions } from "./open-extensions.ts";
export type { CommandDatabase, ExtensionCommandContext, ExtensionFinding } from "./port.ts";
export type { ServerCopies, ServerCopy } from "./server-port.ts";
