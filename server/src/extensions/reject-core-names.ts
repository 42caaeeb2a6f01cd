import { SettingsError } from "../config/index.ts";
import { FUNCTION_TABLE } from "../functions/index.ts";
import { OWN_RELATIONS } from "../tables/index.ts";
import type { LoadedExtension } from "./load-extensions.ts";

const FUNCTION_PATH = /^\/functions\/v1\/([a-z0-9][a-z0-9_-]*)(?:\/|$)/;

const FUNCTIONS: ReadonlySet<string> = new Set(FUNCTION_TABLE.map(({ name }) => name));

/** Throws one `SettingsError` with every name of a table or a function that belongs to the core. */
export function rejectCoreNames(loaded: readonly LoadedExtension[]): void {
  const faults = loaded.flatMap(({ specifier, extension: { tables = [] }, routes }) => [
    ...tables
      .filter(({ name }) => OWN_RELATIONS.has(name))
      .map(({ name }) => `EXTENSIONS: ${specifier}: the table ${name} is one of the core`),
    ...routes
      .filter(({ path }) => FUNCTIONS.has(FUNCTION_PATH.exec(path)?.[1] ?? ""))
      .map(
        ({ method, path }) => `EXTENSIONS: ${specifier}: route ${method} ${path}: the path is reserved for the core`,
      ),
  ]);
  if (faults.length > 0) throw new SettingsError(faults);
}
