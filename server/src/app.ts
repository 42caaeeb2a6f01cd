import { realpathSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { sep } from "node:path";
import type { Duplex } from "node:stream";
import { catalogueOf, describeProviders, loadProviders } from "./agents/index.ts";
import { authenticate, checkRequestSignature, credentialsPath, writeCredentials } from "./auth/index.ts";
import { type Closers, createClosers } from "./closers.ts";
import { type CopyHold, createCopyHold } from "./copy-hold.ts";
import type { Settings } from "./config/index.ts";
import { type ConsoleModule, openConsole } from "./console/index.ts";
import { checkRequirements, type DatabaseServer, findNeeds, openDatabase, openServer } from "./db/index.ts";
import {
  consoleFallback,
  consoleRoutes,
  createHttpServer,
  keepTlsCurrent,
  loadTlsMaterial,
  type Route,
  type TlsMaterial,
} from "./http/index.ts";
import { supervise } from "./jobs/index.ts";
import type { NodeContext } from "./node-context.ts";
import type { Meter } from "./observe/index.ts";
import { openModules } from "./open-modules.ts";
import { openMasterKey, prepareDatabase } from "./prepare-database.ts";
import { addGauges, serveMetrics } from "./serve-metrics.ts";

export interface AppOptions extends NodeContext {
  /** Null without a metrics port and without telemetry that reads metrics. */
  readonly meter: Meter | null;
  /** Aborts a start that is under way. A running app is ended with `stop`. */
  readonly signal: AbortSignal;
  onProgress(line: string): void;
}

export interface App {
  /** The address for clients. */
  readonly url: string;
  /** The address on this machine. */
  readonly localUrl: string;
  readonly caFile: string | null;
  /** The file with the keys and the address. */
  readonly keysFile: string;
  /** The folder of the embedded database, when it is outside of the data directory; else null. */
  readonly databaseDir: string | null;
  /** One line for each framework: its provider and models. */
  readonly providers: readonly string[];
  readonly extensions: readonly string[];
  /** Where the service shows its documentation; null when no extension does. */
  readonly docsUrl: string | null;
  /** Whether the database is a restored copy in which deliveries, agent runs and mails are held. */
  readonly isHeldCopy: boolean;
  /** Whether this node serves the console. */
  readonly hasConsole: boolean;
  /** Rejects when a critical worker has failed. */
  readonly failed: Promise<never>;
  /** Makes `/ready` answer 503 from now on; everything else is still served. */
  leave(): void;
  stop(): Promise<void>;
}

/** Pages of extensions to which the console links, if they are loaded. */
const LINKED_PAGES = ["reference", "docs"] as const;

/** Time for runs that are aborted at the end of the stop timeout to write their last rows. */
const LAST_WRITES_MS = 5_000;

export async function startApp(options: AppOptions): Promise<App> {
  const closers = createClosers(options.observer);
  try {
    return await startModules(options, closers);
  } catch (error) {
    await closers.closeAll();
    throw error;
  }
}

async function startModules(options: AppOptions, closers: Closers): Promise<App> {
  const { settings, observer, meter, traceSource, clock, signal } = options;
  const providers = loadProviders(settings, options.environment);
  const masterKey = await openMasterKey(settings);
  const { dataDir, tlsCertFile: certFile, tlsKeyFile: keyFile } = settings;
  const loadTls = (): Promise<TlsMaterial> => loadTlsMaterial({ dataDir, certFile, keyFile, clock });
  // The certificate does not depend on the database, so both are prepared at the same time.
  const tlsLoading = settings.tlsMode === "proxy" ? null : loadTls();
  tlsLoading?.catch(() => {});

  const server = await openServer({ ...options, masterKey });
  closers.add("database server", () => server.close());
  signal.throwIfAborted();
  const prepared = await prepareDatabase({ ...options, server, masterKey, catalogue: catalogueOf(providers) });
  signal.throwIfAborted();

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

  let url = settings.publicUrl;
  const baseUrl = (): string => {
    if (url === null) throw new Error("the base URL is not known before the service listens");
    return url;
  };
  const tls = await tlsLoading;
  const caFile = tls?.caFile ?? null;
  let isLeaving = false;
  const modules = await openModules({
    ...options,
    findObstacle: async () => (isLeaving ? "stopping" : database.findFault()),
    providers,
    masterKey,
    server,
    database,
    copyHold,
    caFile,
    baseUrl,
    closers,
  });
  if (meter !== null) {
    addGauges(meter, database, modules.watched);
    if (settings.metricsPort > 0) await serveMetrics({ ...options, meter, closers });
  }
  const apply = (material: TlsMaterial) => http.renewTls(material);
  const working = new AbortController();
  const certificate = tls === null ? [] : [keepTlsCurrent({ first: tls, observer, load: loadTls, apply })];
  const supervised = supervise([...modules.workers, ...certificate], {
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

  const consoleModule = openConsoleModule(options, prepared.anonKey, { closers, copyHold, routes: modules.routes });
  const credentialsWritten = Promise.withResolvers<void>();
  credentialsWritten.promise.catch(() => {});
  const http = createHttpServer({
    settings,
    tls,
    routes: [...modules.routes, ...(consoleModule === null ? [] : consoleRoutes(consoleModule))].map((route) =>
      delayUntil(credentialsWritten.promise, route),
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
  const { port } = await http.listen();

  const localUrl = buildLocalUrl(settings, port);
  url ??= localUrl;
  credentialsWritten.resolve(
    writeCredentials(dataDir, {
      url,
      anon_key: prepared.anonKey,
      service_role_key: prepared.serviceRoleKey,
      ca_cert_file: caFile,
      database_url: server.ownerUrl,
    }),
  );
  await credentialsWritten.promise;
  if (server.clusterDir !== null) void noteWarnings(server, options);
  const leave = (): void => {
    isLeaving = true;
  };
  const stop = (): Promise<void> => {
    leave();
    return closers.closeAll();
  };
  return {
    url,
    localUrl,
    caFile,
    keysFile: credentialsPath(dataDir),
    databaseDir: server.clusterDir?.startsWith(realpathSync(dataDir) + sep) === true ? null : server.clusterDir,
    providers: describeProviders(providers),
    extensions: options.extensions.map(({ extension }) => extension.name),
    docsUrl: modules.routes.some(({ path }) => path === "/docs") ? `${url}/docs` : null,
    isHeldCopy: copyHold.isHeld,
    hasConsole: consoleModule !== null,
    failed,
    leave,
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
  }: { readonly closers: Closers; readonly copyHold: CopyHold; readonly routes: readonly Route[] },
): ConsoleModule | null {
  const { settings } = options;
  if (!settings.console || !settings.roles.includes("api")) return null;
  const mail = settings.smtpUrl === null ? "file" : "smtp";
  const links = LINKED_PAGES.filter((name) => routes.some(({ path }) => path === `/${name}`));
  const isHeldCopy = (): boolean => copyHold.isHeld;
  const consoleModule = openConsole({ ...options, anonKey, mail, links, isHeldCopy });
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

function buildLocalUrl({ host, tlsMode }: Pick<Settings, "host" | "tlsMode">, port: number): string {
  const isLocal = ["127.0.0.1", "::1", "0.0.0.0", "::", "localhost"].includes(host);
  const name = isLocal ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `${tlsMode === "proxy" ? "http" : "https"}://${name}:${port}`;
}
