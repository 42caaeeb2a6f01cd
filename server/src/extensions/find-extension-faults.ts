import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { LIMITS } from "@swarmbase/sdk";
import { SETTINGS } from "../config/index.ts";
import type { Extension, ExtensionRoute } from "./port.ts";

const NAME = /^[a-z][a-z0-9-]{0,39}$/;
const KIND_NAME = /^[a-z][a-z0-9_]{0,39}$/;
const METHODS: readonly string[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const ACCESS: readonly string[] = ["public", "apikey", "bearer", "account", "user", "service"];
/** Paths of the core. `/metrics` is served on a port of its own, and a route here would look like it. */
const RESERVED = /^\/(?:(?:rest|auth|functions|realtime)\/v1(?:\/|$)|(?:health|ready|metrics)$|$)/;
const CORE_SETTINGS: ReadonlySet<unknown> = new Set(SETTINGS.map(({ name }) => name));

/** What is wrong with one extension. It may come from JavaScript that no compiler has checked, so every part is looked at. */
export function findExtensionFaults(extension: Extension): readonly string[] {
  const { name, summary, docs, sql, access } = extension;
  if (typeof name !== "string" || !NAME.test(name))
    return ["its name must have lower-case letters, digits and hyphens, and begin with a letter"];
  return [
    ...(typeof summary === "string" && summary !== "" ? [] : ["summary is missing"]),
    ...findMissing("docs", docs),
    ...(sql === undefined ? [] : findMissing("sql", sql, "migrations/")),
    ...(sql !== undefined && access === undefined ? ["access is missing: every table needs its lines"] : []),
    ...findSettingFaults(extension),
    ...(extension.routes ?? []).flatMap((route) => findRouteFaults(route)),
    ...(extension.workers ?? []).flatMap(({ name: worker, run }) =>
      typeof worker === "string" && worker !== "" && typeof run === "function"
        ? []
        : [`worker ${String(worker)} needs a name and a function run`],
    ),
    ...(extension.toolKinds ?? []).flatMap(({ name: kind, run, findConfigFaults }) =>
      typeof kind === "string" && KIND_NAME.test(kind) && [run, findConfigFaults].every((part) => isFunction(part))
        ? []
        : [`tool kind ${String(kind)} needs a name of lower-case letters, digits and _, run and findConfigFaults`],
    ),
  ];
}

/** What extensions take from each other: names, paths, settings. */
export function findClashes(extensions: readonly Extension[]): readonly string[] {
  const claims = extensions.flatMap(({ name, routes = [], settings = [], workers = [], toolKinds = [] }) => [
    { name, claim: `the schema ${schemaOf(name)}` },
    ...routes.map(({ method, path }) => ({ name, claim: `the route ${method} ${path.replaceAll(/:\w+/g, ":")}` })),
    ...settings.map((row) => ({ name, claim: `the setting ${row.name}` })),
    ...workers.map((worker) => ({ name, claim: `the worker ${worker.name}` })),
    ...toolKinds.map((kind) => ({ name, claim: `the tool kind ${name}.${kind.name}` })),
  ]);
  return [...Map.groupBy(claims, ({ claim }) => claim)]
    .filter(([, claimants]) => claimants.length > 1)
    .map(([claim, claimants]) => `${claim} is claimed by ${claimants.map(({ name }) => name).join(" and ")}`);
}

/** The database schema of an extension: `ext_notes`. */
export function schemaOf(name: string): string {
  return `ext_${name.replaceAll("-", "_")}`;
}

function findMissing(part: string, url: unknown, below = ""): readonly string[] {
  if (!(url instanceof URL) || url.protocol !== "file:") return [`${part} must be a file URL`];
  const path = fileURLToPath(new URL(below, url));
  return existsSync(path) ? [] : [`${part} names ${path}, which does not exist`];
}

function findSettingFaults({ name, settings = [] }: Extension): readonly string[] {
  const prefix = `${name.replaceAll("-", "_").toUpperCase()}_`;
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

function findRouteFaults({ method, path, access, limit, handler }: ExtensionRoute): readonly string[] {
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
    ...(isFunction(handler) ? [] : [`${title}: handler must be a function`]),
  ];
}

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}
