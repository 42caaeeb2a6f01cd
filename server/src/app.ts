import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { unlessAborted } from "@swarmbase/concurrency";
import { loadProviders, type Providers } from "./agents/index.ts";
import { authenticate, checkRequestSignature, watchFirstStart, writeCredentials } from "./auth/index.ts";
import { type Closers, createClosers } from "./closers.ts";
import { type CopyHold, createCopyHold } from "./copy-hold.ts";
import { type ConsoleModule, openConsole } from "./console/index.ts";
import {
  checkRequirements,
  type DatabaseServer,
  DiskReserve,
  findNeeds,
  measureDisk,
  openDatabase,
} from "./db/index.ts";
import { buildLocalUrl, credentialsOf, describeNode, type NodeDescription } from "./describe-node.ts";
import { protocolsOf } from "./extensions/index.ts";
import {
  consoleFallback,
  consoleRoutes,
  createHttpServer,
  keepTlsCurrent,
  type Route,
  type TlsMaterial,
} from "./http/index.ts";
import { supervise, type Worker } from "./jobs/index.ts";
import type { NodeContext } from "./node-context.ts";
import type { Meter } from "./observe/index.ts";
import { type Modules, openModules } from "./open-modules.ts";
import { createSchemaLevel, loadTlsOf, type PreparedNode, prepareNode } from "./prepare-node.ts";
import { addGauges, serveMetrics } from "./serve-metrics.ts";

export interface AppOptions extends NodeContext {
  /** Null without a metrics port and without telemetry that reads metrics. */
  readonly meter: Meter | null;
  /** Aborts a start that is under way. A running app is ended with `stop`. */
  readonly signal: AbortSignal;
  onProgress(line: string): void;
  /** What another process has prepared. */
  readonly prepared?: PreparedNode;
}

/** A service that runs, in this process or in several. */
export interface RunningService extends NodeDescription {
  /** Where the service shows its documentation; null when no extension does. */
  readonly docsUrl: string | null;
  /** Whether this node serves the console. */
  readonly hasConsole: boolean;
  /** Rejects when a critical worker has failed. */
  readonly failed: Promise<never>;
  /** From now on `/ready` answers 503, and connections end with their next response; everything is still served. */
  leave(): void;
  stop(): Promise<void>;
}

export interface App extends RunningService {
  /** Lets clients go to another process: closes sockets now, and connections with their next response. */
  drain(): Promise<void>;
  /** Releases what a lost process has leased or announced. */
  takeOver(node: string): Promise<void>;
}

/** What extensions serve and the console links to, if they are loaded: a page, or the API behind a page of the console. */
const LINKED_PAGES = ["reference", "docs", "operator"] as const;

/** Time for handing over the runs that are left at the end of the stop timeout. */
const LAST_WRITES_MS = 6_000;

export async function startApp(options: AppOptions): Promise<App> {
  const closers = createClosers(options.observer);
  try {
    const providers = loadProviders(options.settings, options.environment, protocolsOf(options.extensions));
    const node = options.prepared ?? (await prepareNode(options, { providers, closers }));
    return await startModules(options, node, { providers, closers });
  } catch (error) {
    await closers.closeAll();
    throw error;
  }
}

async function startModules(
  options: AppOptions,
  { masterKey, server, prepared, tls }: PreparedNode,
  { providers, closers }: { readonly providers: Providers; readonly closers: Closers },
): Promise<App> {
  const { settings, observer, meter, traceSource, part = null } = options;
  const { dataDir } = settings;
  const copyHold = createCopyHold(prepared.restoredCopy, observer);
  const database = openDatabase({
    url: server.url,
    masterKey,
    poolSize: settings.dbPoolSize,
    userShare: settings.dbUserSharePercent / 100,
    lockTimeoutMs: settings.dbLockTimeoutMs,
    statementTimeoutMs: settings.dbStatementTimeoutMs,
    observer,
    closeTimeoutMs: settings.stopTimeoutMs,
    isTimed: meter !== null,
    traceSource,
    onRestoredCopy: (copy) => copyHold.update(copy),
  });
  closers.add("database pools", () => database.close());

  let url = part?.url ?? settings.publicUrl;
  const baseUrl = (): string => {
    if (url === null) throw new Error("the base URL is not known before the service listens");
    return url;
  };
  const caFile = tls?.caFile ?? null;
  const { clusterDir } = server;
  const reserve =
    clusterDir === null
      ? null
      : new DiskReserve({
          warningBytes: settings.diskWarningBytes,
          observer,
          measure: () => measureDisk(clusterDir),
        });
  let isLeaving = false;
  const modules = await openModules({
    ...options,
    findObstacle: async () => {
      if (isLeaving) return "stopping";
      return reserve?.isUsed === true ? "disk_full" : database.findFault();
    },
    providers,
    masterKey,
    server,
    database,
    copyHold,
    caFile,
    baseUrl,
    readMetrics: async () => (await meter?.read()) ?? [],
    closers,
  });
  if (meter !== null) {
    addGauges(meter, database, modules.watched);
    // The primary serves the metrics of its workers.
    if (settings.metricsPort > 0 && part === null)
      await serveMetrics({ ...options, contentType: meter.contentType, render: () => meter.render(), closers });
  }
  const apply = (material: TlsMaterial) => http.renewTls(material);
  part?.onTls(apply);
  const working = new AbortController();
  // The primary does both for its workers.
  const schemaLevel = part === null ? createSchemaLevel(options, { server, masterKey }) : null;
  const certificate =
    tls === null || part !== null ? [] : [keepTlsCurrent({ first: tls, observer, load: loadTlsOf(options), apply })];
  const ownWorkers: readonly Worker[] = [
    ...(schemaLevel === null ? [] : [schemaLevel.worker]),
    ...certificate,
    ...(reserve === null ? [] : [{ name: "disk-reserve", run: (signal: AbortSignal) => reserve.run(signal) }]),
  ];
  const supervised = supervise([...modules.workers, ...ownWorkers], {
    signal: working.signal,
    observer,
    stopTimeoutMs: Math.max(settings.stopTimeoutMs, settings.agentRunStopTimeoutMs + LAST_WRITES_MS),
  });
  const failed = supervised.then(() => new Promise<never>(() => {}));
  failed.catch(() => {});
  closers.add("workers", async () => {
    working.abort();
    await supervised;
  });

  const consoleModule = openConsoleModule(options, prepared.anonKey, { closers, copyHold, ...modules });
  const credentialsWritten = Promise.withResolvers<void>();
  credentialsWritten.promise.catch(() => {});
  const http = createHttpServer({
    settings,
    tls,
    source: part?.source ?? null,
    routes: [...modules.routes, ...(consoleModule === null ? [] : consoleRoutes(consoleModule))].map((route) =>
      delayUntil(credentialsWritten.promise, reserve === null ? route : keepReserve(reserve, route)),
    ),
    ...(consoleModule !== null && { fallback: consoleFallback(consoleModule) }),
    guard: (rule, credentials) => authenticate(modules.auth, rule, credentials),
    limits: modules.limits,
    helpLinks: modules.helpLinks,
    checkSignature: (request) => checkRequestSignature(modules.auth, request),
    ...(settings.roles.includes("realtime") && {
      onUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) =>
        modules.realtime.handleUpgrade(request, socket, head),
    }),
    observer,
    traceSource,
  });
  closers.add("http server", () => http.close());
  closers.add("sockets", () => modules.realtime.close());
  // Streams of runs end before the server waits for its connections; the runs go on.
  closers.add("streams of runs", async () => modules.respond.close());
  if (schemaLevel !== null) await unlessAborted(schemaLevel.held, options.signal);
  const { port } = await http.listen();

  const localUrl = buildLocalUrl(settings, port);
  url ??= localUrl;
  const writing = part === null ? writeCredentials(dataDir, credentialsOf({ url, tls, server, prepared })) : undefined;
  credentialsWritten.resolve(writing);
  await credentialsWritten.promise;
  if (clusterDir !== null && part === null) void noteWarnings(server, options);
  const leave = (): void => {
    isLeaving = true;
    void http.drain();
  };
  const stop = (): Promise<void> => {
    leave();
    return closers.closeAll();
  };
  return {
    ...describeNode(options, { url, localUrl, server, tls, prepared, providers }),
    docsUrl: modules.routes.some(({ path }) => path === "/docs") ? `${url}/docs` : null,
    hasConsole: consoleModule !== null,
    failed,
    leave,
    drain: async () => {
      await Promise.all([http.drain(), modules.realtime.close()]);
    },
    takeOver: (node) => modules.takeOver(node),
    stop,
  };
}

/** An unreachable database is reported by the database check. */
async function noteWarnings({ adminUrl }: DatabaseServer, { settings, clock, observer }: AppOptions): Promise<void> {
  const warnings = await checkRequirements(adminUrl, findNeeds(settings), clock).catch(() => []);
  for (const missing of warnings) observer.note("database.requirement_warning", { missing });
}

/** Null on a node without the role `api`, or with `CONSOLE=false`. */
function openConsoleModule(
  options: AppOptions,
  anonKey: string,
  {
    closers,
    copyHold,
    routes,
    auth,
    providerNames,
  }: { readonly closers: Closers; readonly copyHold: CopyHold } & Pick<Modules, "routes" | "auth" | "providerNames">,
): ConsoleModule | null {
  const { settings } = options;
  if (!settings.console || !settings.roles.includes("api")) return null;
  const mail = settings.smtpUrl === null ? "file" : "smtp";
  const links = LINKED_PAGES.filter((name) =>
    routes.some(({ path }) => path === `/${name}` || path.startsWith(`/${name}/v1/`)),
  );
  const isHeldCopy = (): boolean => copyHold.isHeld;
  const isFirstStart = watchFirstStart(auth);
  const consoleModule = openConsole({ ...options, anonKey, mail, links, isHeldCopy, isFirstStart, providerNames });
  closers.add("console", () => consoleModule.close());
  return consoleModule;
}

/** Delays requests until the credentials file is written, which needs the port and so comes after listening. */
function delayUntil(written: Promise<void>, route: Route): Route {
  const { handler } = route;
  let isWritten = false;
  const onWritten = (): void => {
    isWritten = true;
  };
  written.then(onWritten, () => {});
  return {
    ...route,
    handler: (request, reply) => (isWritten ? handler(request, reply) : written.then(() => handler(request, reply))),
  };
}

/** Rejects whatever is not known to read only. */
function keepReserve(reserve: DiskReserve, route: Route): Route {
  const { handler } = route;
  if (["GET", "HEAD", "OPTIONS"].includes(route.method)) return route;
  return {
    ...route,
    handler: (request, reply) => {
      reserve.requireSpace();
      return handler(request, reply);
    },
  };
}
