import {
  admitCaller,
  authEndpoints,
  checkMasterKey,
  ensureKeys,
  type LoadedKeys,
  loadKeys,
  openAuthRoom,
  writeCredentials,
} from "./auth/index.ts";
import type { Settings } from "./config/index.ts";
import { loadMasterKey, prepareSecretDir } from "./crypto/index.ts";
import {
  connectClient,
  type DatabaseServer,
  hasEmbeddedCluster,
  migrate,
  openDatabase,
  openServer,
  watchReachability,
} from "./db/index.ts";
import {
  authRoutes,
  createHttpServer,
  healthRoutes,
  loadTlsMaterial,
  type Route,
  type TlsMaterial,
} from "./http/index.ts";
import { supervise, type Worker } from "./jobs/index.ts";
import type { Observer } from "./observe/index.ts";
import type { Clock } from "./time/index.ts";

export interface AppOptions {
  readonly settings: Settings;
  readonly observer: Observer;
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
  /** Rejects when a part that the service cannot do without has failed. */
  readonly failed: Promise<never>;
  stop(): Promise<void>;
}

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
  const { settings, observer, clock, version, signal } = options;
  const masterKey = await openMasterKey(settings);
  // The certificate has nothing to wait for in the database, so both are made ready at once.
  const tlsLoading = loadTls(settings, clock);
  tlsLoading.catch(() => {});

  const server = await openServer({ ...options, masterKey });
  closers.add("database server", () => server.close());
  signal.throwIfAborted();
  const keys = await prepareDatabase({ settings, observer, clock, server, masterKey });
  signal.throwIfAborted();

  const database = openDatabase({
    url: server.url,
    masterKey,
    poolSize: settings.dbPoolSize,
    observer,
    closeTimeoutMs: settings.stopTimeoutMs,
  });
  closers.add("database pools", () => database.close());

  let url = settings.publicUrl;
  const auth = await openAuthRoom({
    settings,
    pool: database.service,
    masterKey,
    observer,
    clock,
    baseUrl: () => {
      if (url === null) throw new Error("the address was asked for before the service listens");
      return url;
    },
  });
  closers.add("mailer", () => auth.mailer.close());

  const workers: Worker[] = [
    { name: "database-watch", run: (until) => watchReachability(database, until) },
    { name: "key-watch", run: (until) => auth.keyRing.watch(until) },
  ];
  const working = new AbortController();
  const supervised = supervise(workers, { signal: working.signal, observer, stopTimeoutMs: settings.stopTimeoutMs });
  const failed = supervised.then(() => new Promise<never>(() => {}));
  failed.catch(() => {});
  closers.add("workers", async () => {
    working.abort();
    await supervised;
  });

  const tls = await tlsLoading;
  const gate = Promise.withResolvers<void>();
  gate.promise.catch(() => {});
  const routes = [
    ...healthRoutes({ version, isDatabaseReachable: () => database.isReachable() }),
    ...authRoutes(authEndpoints, auth),
  ];
  const http = createHttpServer({
    settings,
    tls,
    routes: routes.map((route) => behind(gate.promise, route)),
    gate: (admittance, credentials) => admitCaller(auth, admittance, credentials),
    observer,
  });
  closers.add("http server", () => http.close());
  const { port } = await http.listen();

  const localUrl = buildLocalUrl(settings, port);
  url ??= localUrl;
  const caFile = tls?.caFile ?? null;
  const written = writeCredentials(settings.dataDir, {
    url,
    anon_key: keys.anonKey,
    service_role_key: keys.serviceRoleKey,
    ca_cert_file: caFile,
    database_url: server.ownerUrl,
  });
  gate.resolve(written);
  await written;
  return { url, localUrl, caFile, failed, stop: () => closers.closeAll() };
}

/** The key that everything else is locked with. With an embedded database it lives, and is made, beside it. */
export async function openMasterKey(settings: Settings): Promise<string> {
  const { dataDir, databaseUrl, masterKey: given } = settings;
  await prepareSecretDir(dataDir, { mayPassThrough: databaseUrl === null });
  if (databaseUrl === null) return loadMasterKey({ dataDir, given, mayCreate: !(await hasEmbeddedCluster(dataDir)) });
  if (given === null) throw new Error("MASTER_KEY is required with DATABASE_URL");
  return given;
}

export interface PrepareDatabaseOptions extends Pick<AppOptions, "settings" | "observer" | "clock"> {
  readonly server: DatabaseServer;
  readonly masterKey: string;
}

/** Brings the schema up to date and makes the keys that are missing, both under the one lock. */
export async function prepareDatabase(options: PrepareDatabaseOptions): Promise<LoadedKeys & { applied: string[] }> {
  const { settings, observer, clock, server, masterKey } = options;
  await refuseWrongMasterKey(server.adminUrl, masterKey);
  let keys: LoadedKeys | null = null;
  const { applied } = await migrate({
    adminUrl: server.adminUrl,
    masterKey,
    observer,
    settings,
    afterMigrate: async (client) => {
      const { created } = await ensureKeys(client, { masterKey, clock });
      if (created.length > 0) observer.note("keys.created", { made: created });
      keys = await loadKeys(client, {
        masterKey,
        clock,
        anonKeyOverride: settings.anonKey,
        serviceRoleKeyOverride: settings.serviceRoleKey,
      });
    },
  });
  if (keys === null) throw new Error("the migration ended without loading the keys");
  return { ...(keys as LoadedKeys), applied };
}

async function refuseWrongMasterKey(adminUrl: string, masterKey: string): Promise<void> {
  const client = await connectClient(adminUrl);
  try {
    await checkMasterKey(client, masterKey);
  } finally {
    await client.end();
  }
}

async function loadTls(settings: Settings, clock: Clock): Promise<TlsMaterial | null> {
  if (settings.tlsMode === "proxy") return null;
  const { dataDir, tlsCertFile: certFile, tlsKeyFile: keyFile } = settings;
  return loadTlsMaterial({ dataDir, certFile, keyFile, clock });
}

/** The port is known once we listen, the credentials are written after that, and nothing answers before they are. */
function behind(gate: Promise<void>, route: Route): Route {
  return {
    ...route,
    handler: async (request, reply) => {
      await gate;
      return route.handler(request, reply);
    },
  };
}

function buildLocalUrl({ host, tlsMode }: Pick<Settings, "host" | "tlsMode">, port: number): string {
  const isHere = ["127.0.0.1", "::1", "0.0.0.0", "::", "localhost"].includes(host);
  const name = isHere ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `${tlsMode === "proxy" ? "http" : "https"}://${name}:${port}`;
}

interface Closers {
  add(part: string, close: () => Promise<void>): void;
  closeAll(): Promise<void>;
}

/** Ends parts in the reverse of the order they were started in; one that fails to end does not keep the others up. */
function createClosers(observer: Observer): Closers {
  const stack: { part: string; close: () => Promise<void> }[] = [];
  const closeAll = async (): Promise<void> => {
    for (let last = stack.pop(); last !== undefined; last = stack.pop()) {
      const { part } = last;
      await last.close().catch((error: unknown) => observer.note("service.stop_failed", { part, error }));
    }
  };
  let closing: Promise<void> | null = null;
  return {
    add: (part, close) => stack.push({ part, close }),
    closeAll: () => {
      closing ??= closeAll();
      return closing;
    },
  };
}
