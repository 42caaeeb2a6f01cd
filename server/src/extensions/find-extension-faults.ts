import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { API_KEY_SCOPES, LIMITS, TOOL_KINDS } from "@swarmbase/sdk";
import { PROVIDER_KINDS, SETTINGS, type VendorKind } from "../config/index.ts";
import { isRecord } from "../json/index.ts";
import type {
  ConfiguredExtension,
  Extension,
  ExtensionRoute,
  ExtensionTable,
  ExtensionToolKind,
  VendorProtocol,
} from "./port.ts";

const NAME = /^[a-z][a-z0-9-]{0,39}$/;
const KIND_NAME = /^[a-z][a-z0-9_]{0,39}$/;
const METHODS: readonly string[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const ACCESS: readonly string[] = [
  "public",
  "apikey",
  "bearer",
  "bearer-alone",
  "optional-bearer",
  "account",
  "user",
  "service",
];
const SCOPES: readonly string[] = API_KEY_SCOPES;
/** Paths of the core, except functions. `/metrics` is served on a port of its own, and a route here would look like it. */
const RESERVED =
  /^\/(?:(?:rest|auth|realtime)\/v1(?:\/|$)|functions\/v1(?:$|\/(?![a-z0-9]))|(?:health|ready|metrics)$|$)/;
const RESOURCE = /^(?:\/[\w-]+)+$/;
/** The interface names `mcp`, too, which an extension adds. */
const CORE_KINDS: readonly string[] = TOOL_KINDS.filter((kind) => kind !== "mcp");
const VENDOR_KINDS: readonly VendorKind[] = PROVIDER_KINDS.filter((kind) => kind !== "simulated");
const CORE_SETTINGS: ReadonlySet<unknown> = new Set(SETTINGS.map(({ name }) => name));

/** What is wrong with one extension. It may come from JavaScript that no compiler has checked, so every part is looked at. */
export function findExtensionFaults(extension: Extension): readonly string[] {
  const { name, summary, docs, sql, access } = extension;
  if (typeof name !== "string" || !NAME.test(name))
    return ["its name must have lower-case letters, digits and hyphens, and begin with a letter"];
  return [
    ...(isText(summary) ? [] : ["summary is missing"]),
    ...findMissing("docs", docs),
    ...(sql === undefined ? [] : findMissing("sql", sql, "migrations/")),
    ...(extension.tables ?? []).flatMap((table) => findTableFaults(extension, table)),
    ...(sql !== undefined && access === undefined ? ["access is missing: every table needs its lines"] : []),
    ...findSettingFaults(extension),
    ...(extension.standardVariables ?? []).flatMap((variable) => findVariableFaults(variable.name)),
    ...(extension.telemetry === undefined || isFunction(extension.telemetry?.open)
      ? []
      : ["telemetry needs a function open"]),
    ...(extension.routes ?? []).flatMap((route) => findRouteFaults(route)),
    ...(["undefined", "function"].includes(typeof extension.configure) ? [] : ["configure must be a function"]),
    ...(extension.workers ?? []).flatMap(({ name: worker, run }) =>
      typeof worker === "string" && worker !== "" && typeof run === "function"
        ? []
        : [`worker ${String(worker)} needs a name and a function run`],
    ),
    ...(extension.toolKinds ?? []).flatMap((kind) => findToolKindFaults(name, kind)),
    ...(extension.providerKinds ?? []).flatMap(findProviderKindFaults),
    ...(extension.gauges ?? []).flatMap((gauge) =>
      isText(gauge.help) && String(gauge.name).startsWith(`swarmbase_${name.replaceAll("-", "_")}_`)
        ? []
        : [
            `gauge ${String(gauge.name)} needs help and a name that begins with swarmbase_${name.replaceAll("-", "_")}_`,
          ],
    ),
    ...(extension.findProblems === undefined || isFunction(extension.findProblems)
      ? []
      : ["findProblems must be a function"]),
    ...(extension.commands ?? []).flatMap(({ name: command, summary: row, help, run, modeOptions = [] }) =>
      typeof command === "string" &&
      NAME.test(command) &&
      isText(row) &&
      isText(help) &&
      isFunction(run) &&
      modeOptions.every((option) => NAME.test(option))
        ? []
        : [`command ${String(command)} needs a name of lower-case letters, digits and hyphens, summary, help and run`],
    ),
    ...(["findHelp", "describeSchema"] as const).flatMap((part) =>
      extension[part] === undefined || isFunction(extension[part]) ? [] : [`${part} must be a function`],
    ),
  ];
}

/** What is wrong with the parts that depend on settings. */
export function findConfiguredFaults(parts: ConfiguredExtension): readonly string[] {
  const { routes = [], trustedUrls = [], connections: { perOrigin = 1, idleTimeoutMs = 0 } = {} } = parts;
  return [
    ...(Number.isInteger(perOrigin) && perOrigin > 0 ? [] : ["connections.perOrigin must be a whole number above 0"]),
    ...(idleTimeoutMs >= 0 ? [] : ["connections.idleTimeoutMs must not be negative"]),
    ...routes.flatMap((route) => findRouteFaults(route)),
    ...trustedUrls.filter((url) => !URL.canParse(url)).map((url) => `the trusted URL ${url} is not valid`),
  ];
}

type Claimant = Pick<Extension, "routes"> & { readonly extension: Extension };

/** What extensions take from each other: names, paths, settings. */
export function findClashes(loaded: readonly Claimant[]): readonly string[] {
  const extensions = loaded.map(({ extension, routes = [] }) => ({ ...extension, routes }));
  const claims = extensions.flatMap(({ name, routes, ...parts }) => {
    const {
      settings = [],
      standardVariables = [],
      workers = [],
      toolKinds = [],
      providerKinds = [],
      commands = [],
      tables = [],
    } = parts;
    const { telemetry, findHelp, describeSchema } = parts;
    return [
      { name, claim: `the schema ${schemaOf(name)}` },
      ...(telemetry === undefined ? [] : [{ name, claim: "the telemetry" }]),
      ...standardVariables.map((variable) => ({ name, claim: `the setting ${variable.name}` })),
      ...routes.map(({ method, path }) => ({ name, claim: `the route ${method} ${path.replaceAll(/:\w+/g, ":")}` })),
      ...settings.map((row) => ({ name, claim: `the setting ${row.name}` })),
      ...workers.map((worker) => ({ name, claim: `the worker ${worker.name}` })),
      ...tables.map((table) => ({ name, claim: `the table ${table.name}` })),
      ...toolKinds.map((kind) => ({ name, claim: `the tool kind ${toolKindOf(name, kind.name)}` })),
      ...providerKinds.map(({ kind }) => ({ name, claim: `the provider kind ${kind}` })),
      ...(findHelp === undefined ? [] : [{ name, claim: "the help for errors" }]),
      ...(describeSchema === undefined ? [] : [{ name, claim: "the description of tables" }]),
      ...commands.flatMap((command) =>
        command.modeOptions === undefined
          ? [{ name, claim: `the command ${command.name}` }]
          : command.modeOptions.map((option) => ({ name, claim: `the option ${command.name} --${option}` })),
      ),
    ];
  });
  return [...Map.groupBy(claims, ({ claim }) => claim)]
    .filter(([, claimants]) => claimants.length > 1)
    .map(([claim, claimants]) => `${claim} is claimed by ${claimants.map(({ name }) => name).join(" and ")}`);
}

/**
 * The name that `tools.kind` stores: `notes.search`; only the name of the kind when it is that of the extension, in the singular
 * or the plural (`function` of `functions`), of the protocol whose client the extension is (`a2a` of `a2a-client`), or of its
 * tools (`rpc` of `rpc-tools`).
 */
export function toolKindOf(extension: string, kind: string): string {
  return [kind, `${kind}s`, `${kind}-client`, `${kind}-tools`].includes(extension) ? kind : `${extension}.${kind}`;
}

/** The database schema of an extension: `ext_notes`. */
export function schemaOf(name: string): string {
  return `ext_${name.replaceAll("-", "_")}`;
}

function findToolKindFaults(extension: string, kind: ExtensionToolKind): readonly string[] {
  const { name } = kind;
  const parts = "open" in kind ? [kind.open] : [kind.run, kind.findConfigFaults];
  return [
    ...(typeof name === "string" && KIND_NAME.test(name) && parts.every(isFunction)
      ? []
      : [
          `tool kind ${String(name)} needs a name of lower-case letters, digits and _, and run and findConfigFaults, or open`,
        ]),
    ...(CORE_KINDS.includes(toolKindOf(extension, name)) ? [`the tool kind ${name} is one of the core`] : []),
  ];
}

function findTableFaults({ sql, access }: Extension, table: ExtensionTable): readonly string[] {
  const { name, ownerColumn, columns, managed } = table;
  const title = `the table ${String(name)}`;
  const isWhole = isText(ownerColumn) && isRecord(columns) && Array.isArray(managed);
  return [
    ...(typeof name === "string" && KIND_NAME.test(name)
      ? []
      : [`${title} needs a name of lower-case letters, digits and _`]),
    ...(isWhole ? [] : [`${title} needs ownerColumn, columns and managed`]),
    ...(sql === undefined ? [`${title} needs migrations in sql`] : []),
    ...(isText(access?.keyMatrix) ? [] : [`${title} needs the lines of API keys in access.keyMatrix`]),
  ];
}

function findProviderKindFaults(protocol: VendorProtocol): readonly string[] {
  const { kind, cachePrices, minOutputTokens, open } = protocol;
  const { mapSeed, mapReasoning, mapResponseSchema, mapResponseFormat } = protocol;
  const isComplete =
    [open, mapSeed, mapReasoning, mapResponseSchema, mapResponseFormat].every(isFunction) &&
    [minOutputTokens, cachePrices?.read, cachePrices?.write].every(Number.isFinite);
  return [
    ...(VENDOR_KINDS.includes(kind)
      ? []
      : [`the provider kind ${String(kind)} must be one of ${VENDOR_KINDS.join(", ")}`]),
    ...(isComplete
      ? []
      : [
          `the provider kind ${String(kind)} needs open, cachePrices, minOutputTokens and the four functions that map settings`,
        ]),
  ];
}

function findMissing(part: string, url: unknown, below = ""): readonly string[] {
  if (!(url instanceof URL) || url.protocol !== "file:") return [`${part} must be a file URL`];
  const path = fileURLToPath(new URL(below, url));
  return existsSync(path) ? [] : [`${part} names ${path}, which does not exist`];
}

function findSettingFaults({ name, settings = [] }: Extension): readonly string[] {
  const prefix = `${name
    .replace(/-client$/, "")
    .replaceAll("-", "_")
    .toUpperCase()}_`;
  return settings.flatMap((row) => {
    const title = `the setting ${String(row.name)}`;
    const isNamed = typeof row.name === "string" && row.name.startsWith(prefix) && /^[A-Z0-9_]+$/.test(row.name);
    return [
      ...(isNamed ? [] : [`the name of ${title} must begin with ${prefix}`]),
      ...(CORE_SETTINGS.has(row.name) ? [`${title} is one of the core`] : []),
      ...("default" in row ? [] : [`${title} needs a default; null stands for none`]),
    ];
  });
}

/** A standard names these variables, so that they need not begin with the name of the extension. */
function findVariableFaults(name: unknown): readonly string[] {
  const title = `the variable ${String(name)}`;
  if (typeof name !== "string" || !/^[A-Z][A-Z0-9_]+$/.test(name)) return [`${title} must have capitals, digits and _`];
  return CORE_SETTINGS.has(name) ? [`${title} is one of the core`] : [];
}

function findRouteFaults(route: ExtensionRoute): readonly string[] {
  const { method, path, access, keyScope, resource, limit, renderError, handler } = route;
  const title = `route ${String(method)} ${String(path)}`;
  return [
    ...(METHODS.includes(method) ? [] : [`${title}: the method must be one of ${METHODS.join(", ")}`]),
    ...(typeof path === "string" && path.startsWith("/") && !path.includes("*")
      ? []
      : [`${title}: the path must begin with / and have no *`]),
    ...(typeof path === "string" && RESERVED.test(path) ? [`${title}: the path is reserved for the core`] : []),
    // A route must not be open, or free of limits, because its author forgot to say.
    ...(ACCESS.includes(access) ? [] : [`${title}: access must be one of ${ACCESS.join(", ")}`]),
    ...(limit === null || Object.hasOwn(LIMITS, String(limit))
      ? []
      : [`${title}: limit must be null or one of ${Object.keys(LIMITS).join(", ")}`]),
    ...(isKeyScope(keyScope) ? [] : [`${title}: keyScope must be null, "checked" or a list of ${SCOPES.join(", ")}`]),
    ...(resource === undefined || RESOURCE.test(resource) ? [] : [`${title}: resource must be a path, such as /mcp`]),
    ...(renderError === undefined || isFunction(renderError) ? [] : [`${title}: renderError must be a function`]),
    ...(isFunction(handler) ? [] : [`${title}: handler must be a function`]),
  ];
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}

function isKeyScope(keyScope: unknown): boolean {
  if (keyScope === undefined || keyScope === null || keyScope === "checked") return true;
  return (
    Array.isArray(keyScope) &&
    keyScope.length > 0 &&
    keyScope.every((scope: unknown) => SCOPES.some((known) => known === scope))
  );
}
