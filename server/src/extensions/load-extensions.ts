import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Environment, readExtensionSettings, SettingsError } from "../config/index.ts";
import { type ExtensionSchema, messageOf } from "../db/index.ts";
import type { VendorProtocol } from "../agents/index.ts";
import { findClashes, findConfiguredFaults, findExtensionFaults, schemaOf } from "./find-extension-faults.ts";
import type {
  ConfiguredExtension,
  Extension,
  ExtensionConnections,
  ExtensionContext,
  ExtensionObservation,
} from "./port.ts";

export interface LoadedExtension {
  /** As `EXTENSIONS` names it. */
  readonly specifier: string;
  readonly extension: Extension;
  readonly settings: ExtensionContext["settings"];
  /** Those of its standard variables that are set. */
  readonly variables: Environment;
  /** Null for an extension without SQL files. */
  readonly schema: ExtensionSchema | null;
  /** The fixed routes and those of `configure`. */
  readonly routes: NonNullable<Extension["routes"]>;
  readonly trustedUrls: readonly string[];
  readonly connections: ExtensionConnections;
  readonly observation: ExtensionObservation;
}

/** The kinds of providers that the extensions have. */
export function protocolsOf(extensions: readonly LoadedExtension[]): readonly VendorProtocol[] {
  return extensions.flatMap(({ extension }) => extension.providerKinds ?? []);
}

const OWN_SCOPE = "@swarmbase/";
const PLAIN_NAME = /^[a-z][a-z0-9-]*$/;
const PATH = /^\.{0,2}\//;

/** Imports and checks the extensions, all but the names that belong to the core (`rejectCoreNames`). Throws one `SettingsError` that lists every fault of all of them. */
export async function loadExtensions(options: {
  /** As `EXTENSIONS` names them. */
  readonly names: readonly string[];
  readonly environment: Environment;
  /** Paths and relative settings count from here. */
  readonly workingDir?: string;
}): Promise<readonly LoadedExtension[]> {
  const { names, environment, workingDir = process.cwd() } = options;
  const faults: string[] = [];
  const loaded: LoadedExtension[] = [];
  for (const name of names) {
    const extension = await importExtension(name, workingDir).catch((error: unknown) => {
      faults.push(`EXTENSIONS: ${name}: ${messageOf(error)}`);
      return null;
    });
    if (extension === null) continue;
    const found = findExtensionFaults(extension);
    faults.push(...found.map((fault) => `EXTENSIONS: ${name}: ${fault}`));
    if (found.length > 0) continue;
    const { sql, settings: rows = [], standardVariables = [], telemetry } = extension;
    const { settings, faults: settingFaults } = readExtensionSettings(rows, environment, workingDir);
    faults.push(...settingFaults);
    const variables = pickVariables(
      standardVariables.map((variable) => variable.name),
      environment,
    );
    faults.push(...(telemetry?.findFaults?.(variables) ?? []));
    const tables = (extension.tables ?? []).map((table) => table.name);
    const schema = sql === undefined ? null : { schema: schemaOf(extension.name), dir: fileURLToPath(sql), tables };
    const configured = settingFaults.length > 0 ? {} : await configure(extension, settings);
    const routes = [...(extension.routes ?? []), ...(configured.routes ?? [])];
    const partFaults =
      configured.faults ?? findConfiguredFaults(configured).map((fault) => `EXTENSIONS: ${name}: ${fault}`);
    faults.push(...partFaults);
    if (partFaults.length > 0) continue;
    const { trustedUrls = [], connections = {}, observation = {} } = configured;
    loaded.push({
      specifier: name,
      extension,
      settings,
      variables,
      schema,
      routes,
      trustedUrls,
      connections,
      observation,
    });
  }
  faults.push(...findClashes(loaded).map((fault) => `EXTENSIONS: ${fault}`));
  if (faults.length > 0) throw new SettingsError(faults);
  return loaded;
}

/** What `configure` returns, or the faults that it throws. */
async function configure(
  extension: Extension,
  settings: LoadedExtension["settings"],
): Promise<ConfiguredExtension & { readonly faults?: readonly string[] }> {
  try {
    return (await extension.configure?.(settings)) ?? {};
  } catch (error) {
    return {
      faults: error instanceof SettingsError ? error.faults : [`EXTENSIONS: ${extension.name}: ${messageOf(error)}`],
    };
  }
}

/** The named variables that are set. */
function pickVariables(names: readonly string[], environment: Environment): Environment {
  const entries = names.map((name) => [name, environment[name]] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && value !== ""));
}

async function importExtension(name: string, workingDir: string): Promise<Extension> {
  const { extension } = (await importModule(name, workingDir)) as { readonly extension?: Extension };
  if (typeof extension !== "object" || extension === null) throw new Error("exports no object named extension");
  return extension;
}

/** A plain name is a package of this repository first, then any installed package. */
async function importModule(name: string, workingDir: string): Promise<unknown> {
  const specifiers = PATH.test(name)
    ? [pathToFileURL(resolve(workingDir, name)).href]
    : PLAIN_NAME.test(name)
      ? [`${OWN_SCOPE}${name}`, name]
      : [name];
  for (const specifier of specifiers) {
    try {
      return (await import(specifier)) as unknown;
    } catch (error) {
      if (!isMissing(error, specifier)) throw error;
    }
  }
  throw new Error(`not found; looked for ${specifiers.join(" and ")}`);
}

/** Whether the module itself is missing, rather than something that it imports. */
function isMissing(error: unknown, specifier: string): boolean {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "ERR_MODULE_NOT_FOUND") return false;
  const sought = specifier.startsWith("file:") ? fileURLToPath(specifier) : specifier;
  return error.message.includes(`'${sought}'`);
}
