import { ERROR_CODES, type ErrorCode } from "@swarmbase/sdk";
import type { Response } from "undici";
import type { ToolKind, ToolKinds } from "../agents/index.ts";
import { AUTH_ERRORS, type AuthErrorCode } from "../auth/index.ts";
import { SettingsError } from "../config/index.ts";
import { unwrapSecret, wrapSecret } from "../crypto/index.ts";
import {
  type Database,
  type DatabaseServer,
  newRowId,
  type Principal,
  requireKeyScope,
  SERVICE_PRINCIPAL,
} from "../db/index.ts";
import type { HelpLinks } from "../errors/index.ts";
import type { Route } from "../http/index.ts";
import type { Worker } from "../jobs/index.ts";
import type { Observer } from "../observe/index.ts";
import { runInBackground } from "../processes/index.ts";
import type { DescribeSchema } from "../rest/index.ts";
import { isServiceFunction } from "../tables/index.ts";
import type { Clock } from "../time/index.ts";
import { callAuthAsService } from "./call-auth-as-service.ts";
import { describeInterface } from "./describe-interface.ts";
import { describeServer } from "./describe-server.ts";
import { createExtensionDatabase } from "./extension-database.ts";
import { createRest } from "./extension-core.ts";
import { extensionRoutes } from "./extension-routes.ts";
import { schemaOf, toolKindOf } from "./find-extension-faults.ts";
import type { LoadedExtension } from "./load-extensions.ts";
import { openOperations, type OperationsOptions } from "./open-operations.ts";
import { createStartRun } from "./start-run.ts";
import type {
  Extension,
  ExtensionConnections,
  ExtensionContext,
  ExtensionTable,
  ExtensionToolKind,
  OpenedToolKind,
} from "./port.ts";

export interface OpenExtensionsOptions extends OperationsOptions {
  readonly server: Pick<DatabaseServer, "adminUrl" | "directUrl" | "clusterDir">;
  readonly masterKey: string;
  readonly database: Pick<Database, "user" | "service" | "work">;
  /** Seals values of extensions; the key of the secrets of tools. */
  readonly key: Buffer;
  /** Opens a guarded fetch. The origins of trusted URLs may have any address and may use plain HTTP. */
  openFetch(
    trustedUrls: readonly string[],
    connections: ExtensionConnections,
  ): Pick<ExtensionContext, "fetch" | "findUrlFault">;
  isRedirectAllowed(url: string): boolean;
  /** Throws before the service listens. */
  baseUrl(): string;
  /** Empty when nothing is measured. */
  readMetrics(): ReturnType<ExtensionContext["readMetrics"]>;
  readonly observer: Observer;
  readonly clock: Clock;
  readonly version: string;
}

/** What all extensions add to this node. */
export interface OpenedExtensions {
  readonly routes: readonly Route[];
  readonly workers: readonly Worker[];
  /** Those that run on every node. */
  readonly nodeWorkers: readonly Worker[];
  readonly toolKinds: ToolKinds;
  readonly helpLinks: HelpLinks;
  /** Null means that the root of the tables has no document. */
  readonly describeSchema: DescribeSchema | null;
  /** Closes the kinds of tools. Must be called after the runs have ended. */
  close(): Promise<void>;
  readonly gauges: readonly OpenedGauge[];
  /** In `public`. */
  readonly tables: readonly ExtensionTable[];
  /** Calls what waits for a wake-up of an extension; null means any. */
  wake(name: string | null): void;
}

interface OpenedGauge {
  readonly name: string;
  readonly help: string;
  /** Null while no worker of this process has set it. */
  read(): number | null;
}

/** The tables that the extensions add to `public`. */
function tablesOf(extensions: readonly LoadedExtension[]): readonly ExtensionTable[] {
  return extensions.flatMap(({ extension }) => extension.tables ?? []);
}

export function openExtensions(options: OpenExtensionsOptions): OpenedExtensions {
  const opened = options.extensions.map((loaded) => openExtension(loaded, options));
  const kinds = opened.flatMap(({ toolKinds }) => [...toolKinds]);
  const withServers = kinds.filter(([, { servers }]) => servers !== undefined).map(([name]) => name);
  if (withServers.length > 1)
    throw new SettingsError([`EXTENSIONS: the servers of tools are claimed by ${withServers.join(" and ")}`]);
  return {
    routes: opened.flatMap(({ routes }) => routes),
    workers: opened.flatMap(({ workers }) => workers),
    nodeWorkers: opened.flatMap(({ nodeWorkers }) => nodeWorkers),
    toolKinds: new Map(kinds),
    helpLinks: new Map(opened.flatMap(({ helpLinks }) => [...helpLinks])),
    describeSchema: opened.find(({ describeSchema }) => describeSchema !== null)?.describeSchema ?? null,
    close: async () => {
      await Promise.all(opened.map(({ close }) => close()));
    },
    gauges: opened.flatMap(({ gauges }) => gauges),
    tables: tablesOf(options.extensions),
    wake: (name) => {
      for (const each of opened) each.wake(name);
    },
  };
}

type OpenedExtension = Omit<OpenedExtensions, "tables">;

function openExtension(loaded: LoadedExtension, options: OpenExtensionsOptions): OpenedExtension {
  const { extension, routes } = loaded;
  const { name, workers = [], toolKinds = [] } = extension;
  const gaugeValues: GaugeValues = new Map();
  const listeners: WakeListeners = new Set();
  const contextOver = prepareContext(loaded, options, { gaugeValues, listeners });
  const requestContext = contextOver(options.database.service);
  // Work that goes on by itself has a pool of its own, so that it is not delayed by requests that wait for a connection.
  const workContext = contextOver(options.database.work);
  const kinds = toolKinds.map((kind) => {
    const stored = toolKindOf(name, kind.name);
    return [stored, openToolKind(stored, kind, workContext)] as const;
  });
  const open = (chosen: typeof workers): readonly Worker[] =>
    chosen.map((worker) => ({ name: worker.name, run: (signal) => worker.run(signal, workContext) }));
  return {
    routes: extensionRoutes(routes, { context: requestContext, getCore: () => options.getCore() }),
    workers: open(workers.filter(({ isOnEveryNode }) => isOnEveryNode !== true)),
    nodeWorkers: open(workers.filter(({ isOnEveryNode }) => isOnEveryNode === true)),
    toolKinds: new Map<string, ToolKind>(kinds),
    helpLinks: buildHelpLinks(extension),
    describeSchema: extension.describeSchema?.bind(extension) ?? null,
    close: async () => {
      await Promise.all(kinds.map(async ([, kind]) => kind.close?.()));
    },
    wake: (woken) => {
      if (woken === null || woken === name) for (const listener of listeners) listener();
    },
    gauges: (extension.gauges ?? []).map((gauge) => ({ ...gauge, read: () => gaugeValues.get(gauge.name) ?? null })),
  };
}

type GaugeValues = Map<string, number | null>;
type WakeListeners = Set<() => void>;

/** What an extension gets of this node: the same over each pool, apart from the pool itself. */
function prepareContext(
  { extension: { name }, settings, trustedUrls, connections }: LoadedExtension,
  options: OpenExtensionsOptions,
  { gaugeValues, listeners }: { readonly gaugeValues: GaugeValues; readonly listeners: WakeListeners },
): (service: Database["service"]) => ExtensionContext {
  const { database, observer, clock, version, environment, key, getCore } = options;
  const { dbStatementTimeoutMs } = options.settings;
  const { fetch, findUrlFault } = options.openFetch(trustedUrls, connections);
  const shared: Omit<ExtensionContext, "database"> = {
    settings,
    fetch,
    findUrlFault,
    version,
    now: () => clock.now(),
    environment,
    newId: () => newRowId(clock.now()),
    seal: (label, value) => wrapSecret(key, Buffer.from(value), label),
    unseal: (label, sealed) => unwrapSecret(key, sealed, label).toString(),
    startRun: createStartRun({
      extension: name,
      clock,
      getRespond: () => getCore().respond,
      requireReleased: () => getCore().requireReleased(),
    }),
    onWake: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    // Principals come from the core; the port exposes only a part of them.
    restAs: (caller, call, signal) => createRest(getCore().rest, caller as Principal, signal)(call),
    restAsService: (call) => createRest(getCore().rest, SERVICE_PRINCIPAL)(call),
    authAsService: (call) => callAuthAsService(getCore().auth, call),
    catalogue: () => getCore().rest.catalogue,
    isOfService: isServiceFunction,
    tables: () => tablesOf(options.extensions),
    readMetrics: () => options.readMetrics(),
    server: describeServerOf(name, options),
    operations: openOperations(options),
    runInBackground: (args, signal) => runInBackground({ args, env: { ...environment }, signal }),
    setGauge: (gauge, value) => void gaugeValues.set(gauge, value),
    note: (message, fields = {}) => observer.note("extension.note", { ...fields, extension: name, note: message }),
    fail: (message, error) => observer.note("extension.failed", { extension: name, note: message, error }),
    noteToolServer: (event, fields) => observer.note(event, fields),
    requireKeyScope: (caller, scopes) => requireKeyScope(caller as Principal, scopes),
    // Of a response, only these members are read.
    toToolAnswer: async (response, maxChars) =>
      (await import("../agents/index.ts")).toToolAnswer(response as unknown as Response, maxChars),
    // Commands load this module too, and need nothing of the agents.
    findAnswerFault: async (schema, text) => (await import("../agents/index.ts")).findAnswerFault(schema, text),
    describe: describeInterface,
    ...describeUrls(options),
  };
  return (service) => ({
    ...shared,
    database: createExtensionDatabase({ user: database.user, service }, schemaOf(name), dbStatementTimeoutMs),
  });
}

function describeServerOf(extension: string, options: OpenExtensionsOptions): ExtensionContext["server"] {
  const { adminUrl, directUrl, clusterDir } = options.server;
  return describeServer({
    extension,
    masterKey: options.masterKey,
    dataDir: options.settings.dataDir,
    server: { adminUrl, directUrl, isEmbedded: clusterDir !== null },
  });
}

/** Of the service itself. */
function describeUrls(
  options: OpenExtensionsOptions,
): Pick<ExtensionContext, "baseUrl" | "ownOrigins" | "isRedirectAllowed" | "connectUrl"> {
  const { siteUrl, consoleEnabled } = options.settings;
  return {
    baseUrl: () => options.baseUrl(),
    ownOrigins: () => [options.baseUrl(), siteUrl].flatMap((url) => (url === null ? [] : [new URL(url).origin])),
    isRedirectAllowed: (url) => options.isRedirectAllowed(url),
    connectUrl: ({ tool_execution_id: id, question }) => {
      if (question?.kind !== "connect") return null;
      return consoleEnabled ? `${options.baseUrl()}/tools/connect/${id}` : (question.url ?? null);
    },
  };
}

function openToolKind(name: string, kind: ExtensionToolKind, context: ExtensionContext): OpenedToolKind {
  if ("open" in kind) {
    const opened = kind.open(context);
    if ([opened?.run, opened?.findConfigFaults].every((part) => typeof part === "function")) return opened;
    throw new SettingsError([`EXTENSIONS: open of the tool kind ${name} must return run and findConfigFaults`]);
  }
  return {
    findConfigFaults: (config) => kind.findConfigFaults(config, context),
    run: (call) => kind.run(call, context),
    describe: (config) => kind.describe?.(config, context) ?? null,
  };
}

/** Rendered once for each code, so that an error costs no more than a lookup. */
function buildHelpLinks(extension: Extension): HelpLinks {
  const codes = [...Object.keys(ERROR_CODES), ...Object.keys(AUTH_ERRORS), null] as (
    | ErrorCode
    | AuthErrorCode
    | null
  )[];
  return new Map(
    codes.flatMap((code) => {
      const path = extension.findHelp?.(code) ?? null;
      return path === null ? [] : [[code, `<${encodeURI(path)}>; rel="help"`]];
    }),
  );
}
