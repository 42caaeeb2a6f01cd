import { catalogueOf, describeProviders, loadProviders } from "./agents/index.ts";
import { realpathSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { sep } from "node:path";
import type { Duplex } from "node:stream";
import { authenticate, checkRequestSignature, writeCredentials } from "./auth/index.ts";
import { type Closers, createClosers } from "./closers.ts";
import { type CopyHold, createCopyHold } from "./copy-hold.ts";
import type { Environment, Settings } from "./config/index.ts";
import { type ConsoleModule, openConsole } from "./console/index.ts";
import { type DatabaseServer, findEmbeddedWarnings, openDatabase, openServer } from "./db/index.ts";
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
import type { Meter, Observer } from "./observe/index.ts";
import { openModules } from "./open-modules.ts";
import { openMasterKey, prepareDatabase } from "./prepare-database.ts";
import { serveMetrics } from "./serve-metrics.ts";
import type { Clock } from "./time/index.ts";

export interface AppOptions {
  readonly settings: Settings;
  /** Where keys are looked up that a providers file names. */
  readonly environment?: Environment;
  readonly observer: Observer;
  /** Null where nobody reads metrics. */
  readonly meter?: Meter | null;
  readonly clock: Clock;
  readonly version: string;
  /** Asks a start that is under way to give up. A running app is ended with `stop`. */
  readonly signal: AbortSignal;
  onProgress(line: string): void;
}

export interface App {
  /** Where clients find the service. */
  readonly url: string;
  /** Where this machine finds it. */
  readonly localUrl: string;
  readonly caFile: string | null;
  /** Where the embedded database is when that is not in the data directory; else null. */
  readonly databaseDir: string | null;
  /** Who answers for each framework, in words. */
  readonly providers: readonly string[];
  /** Whether the database is a restored copy in which deliveries, agent runs and mails are held. */
  readonly isHeldCopy: boolean;
  /** Rejects when a part that the service cannot do without has failed. */
  readonly failed: Promise<never>;
  /** From now on `/ready` says that this node stops; everything is still served. */
  leave(): void;
  stop(): Promise<void>;
}

/** Runs that are broken off at the end of their time still have to write that down. */
const LAST_WRITES_MS = 5_000;

export async function startApp(options: AppOptions): Promise<App> {
  const closers = createClosers(options.observer);
  try {
    return await joinRooms(options, closers);
  } catch (error) {
    await closers.closeAll();
    throw error;
  }
}

async function joinRooms(options: AppOptions, closers: Closers): Promise<App> {
  const { settings, observer, meter = null, clock, signal } = options;
  const { environment = {} } = options;
  const providers = loadProviders(settings, environment);
  const masterKey = await openMasterKey(settings);
  // The certificate has nothing to wait for in the database, so both are made ready at once.
  const tlsLoading = loadTls(settings, clock);
  tlsLoading.catch(() => {});

  const server = await openServer({ ...options, masterKey });
  closers.add("database server", () => server.close());
  signal.throwIfAborted();
  const prepared = await prepareDatabase({
    settings,
    observer,
    clock,
    server,
    masterKey,
    catalogue: catalogueOf(providers),
  });
  signal.throwIfAborted();

  const copyHold = createCopyHold(prepared.restoredCopy, observer);
  const database = openDatabase({
    url: server.url,
    masterKey,
    poolSize: settings.dbPoolSize,
    statementTimeoutMs: settings.dbStatementTimeoutMs,
    observer,
    closeTimeoutMs: settings.stopTimeoutMs,
    isTimed: meter !== null,
    onRestoredCopy: (copy) => copyHold.update(copy),
  });
  closers.add("database pools", () => database.close());

  let url = settings.publicUrl;
  const baseUrl = (): string => {
    if (url === null) throw new Error("the address was asked for before the service listens");
    return url;
  };
  const tls = await tlsLoading;
  const caFile = tls?.caFile ?? null;
  let isLeaving = false;
  const rooms = await openModules({
    ...options,
    findObstacle: async () => (isLeaving ? "stopping" : database.findFault()),
    environment,
    providers,
    masterKey,
    server,
    database,
    copyHold,
    caFile,
    baseUrl,
    closers,
  });
  if (meter !== null) await serveMetrics({ ...options, meter, database, watched: rooms.watched, closers });
  const reload = () => loadTlsFiles(settings, clock);
  const renew = (material: TlsMaterial) => http.renewTls(material);
  const working = new AbortController();
  const certificate = tls === null ? [] : [keepTlsCurrent({ first: tls, observer, load: reload, apply: renew })];
  const supervised = supervise([...rooms.workers, ...certificate], {
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

  const consoleModule = openConsoleRoom(options, prepared.anonKey, { closers, copyHold });
  const guard = Promise.withResolvers<void>();
  guard.promise.catch(() => {});
  const http = createHttpServer({
    settings,
    tls,
    routes: [...rooms.routes, ...(consoleModule === null ? [] : consoleRoutes(consoleModule))].map((route) =>
      behind(guard.promise, route),
    ),
    ...(consoleModule !== null && { fallback: consoleFallback(consoleModule) }),
    guard: (rule, credentials) => authenticate(rooms.auth, rule, credentials),
    limits: rooms.limits,
    checkSignature: (request) => checkRequestSignature(rooms.auth, request),
    ...(settings.roles.includes("realtime") && {
      onUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) =>
        rooms.realtime.handleUpgrade(request, socket, head),
    }),
    observer,
  });
  closers.add("http server", () => http.close());
  closers.add("sockets", () => rooms.realtime.close());
  // Those who wait for a run are let go before the connections are waited for; the run goes on.
  closers.add("streams of runs", async () => rooms.respond.close());
  const { port } = await http.listen();

  const localUrl = buildLocalUrl(settings, port);
  url ??= localUrl;
  const written = writeCredentials(settings.dataDir, {
    url,
    anon_key: prepared.anonKey,
    service_role_key: prepared.serviceRoleKey,
    ca_cert_file: caFile,
    database_url: server.ownerUrl,
  });
  guard.resolve(written);
  await written;
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
    databaseDir: findOutsideFolder(server.clusterDir, settings.dataDir),
    providers: describeProviders(providers),
    isHeldCopy: copyHold.isHeld,
    failed,
    leave,
    stop,
  };
}

/** Whatever keeps it from asking is said by the check of the database. */
async function noteWarnings(server: DatabaseServer, options: AppOptions): Promise<void> {
  const warnings = await findEmbeddedWarnings(server, options).catch(() => []);
  for (const missing of warnings) options.observer.note("database.requirement_warning", { missing });
}

/** Null on a node that serves no requests, or is told to go without. */
function openConsoleRoom(
  options: AppOptions,
  anonKey: string,
  { closers, copyHold }: { readonly closers: Closers; readonly copyHold: CopyHold },
): ConsoleModule | null {
  const { settings, environment = {}, observer, version, onProgress } = options;
  if (!settings.console || !settings.roles.includes("api")) return null;
  const consoleModule = openConsole({
    environment,
    observer,
    version,
    anonKey,
    mail: settings.smtpUrl === null ? "file" : "smtp",
    onProgress,
    isHeldCopy: () => copyHold.isHeld,
  });
  closers.add("console", () => consoleModule.close());
  return consoleModule;
}

function findOutsideFolder(clusterDir: string | null, dataDir: string): string | null {
  return clusterDir === null || clusterDir.startsWith(realpathSync(dataDir) + sep) ? null : clusterDir;
}

async function loadTls(settings: Settings, clock: Clock): Promise<TlsMaterial | null> {
  return settings.tlsMode === "proxy" ? null : loadTlsFiles(settings, clock);
}

function loadTlsFiles(settings: Settings, clock: Clock): Promise<TlsMaterial> {
  const { dataDir, tlsCertFile: certFile, tlsKeyFile: keyFile } = settings;
  return loadTlsMaterial({ dataDir, certFile, keyFile, clock });
}

/** The port is known once we listen, the credentials are written after that, and nothing answers before they are. */
function behind(guard: Promise<void>, route: Route): Route {
  const { handler } = route;
  let isOpen = false;
  guard.then(
    () => {
      isOpen = true;
    },
    () => {},
  );
  return {
    ...route,
    handler: (request, reply) => (isOpen ? handler(request, reply) : guard.then(() => handler(request, reply))),
  };
}

function buildLocalUrl({ host, tlsMode }: Pick<Settings, "host" | "tlsMode">, port: number): string {
  const isHere = ["127.0.0.1", "::1", "0.0.0.0", "::", "localhost"].includes(host);
  const name = isHere ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `${tlsMode === "proxy" ? "http" : "https"}://${name}:${port}`;
}
