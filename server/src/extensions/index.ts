// In charge of: the port of extensions: loading and checking what EXTENSIONS names, and joining its parts to the service.
// Not in charge of: what an extension does, or applying its SQL (db).
export { describeInterface } from "./describe-interface.ts";
export { type LoadedExtension, loadExtensions } from "./load-extensions.ts";
export { type OpenedExtensions, openExtensions } from "./open-extensions.ts";
