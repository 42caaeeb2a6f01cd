import { setTimeout as sleep } from "node:timers/promises";
import { isUnavailable } from "@swarmbase/postgres";
import pg from "pg";
import type { Settings } from "../config/index.ts";
import { derivePassword } from "../crypto/index.ts";
import type { Observer } from "../observe/index.ts";
import type { Clock } from "../time/index.ts";
import { withClient } from "./connect-client.ts";
import { withDatabase, withRole } from "./connection.ts";
import { countConnections } from "./database.ts";
import type { NodeNeeds } from "./decide-requirements.ts";
import { messageOf } from "./embedded/embedded-error.ts";
import { startEmbedded } from "./embedded/start-embedded.ts";
import { DatabaseClient } from "./hosts/database-client.ts";
import { OWNER_ROLE } from "./plan-roles.ts";
import { checkRequirements } from "./requirements.ts";

const RETRY_DELAY_MS = 1_000;

const CONNECT_TIMEOUT_MS = 5_000;

export const EMBEDDED_DATABASE = "swarmbase";
const EMBEDDED_SUPERUSER = "postgres";
const WAIT_FOR_DATABASE_MS = 60_000;
/** For operators, and for a second node. */
const SPARE_CONNECTIONS = 20;

export interface DatabaseServer {
  /** For migrations. */
  readonly adminUrl: string;
  /** For requests; the two pools replace its user by their roles. */
  readonly url: string;
  /** The same without a pooler, for what needs a session. */
  readonly directUrl: string;
  /** For the operator: logs in as the owner of the schema, from outside this process. */
  readonly ownerUrl: string;
  /** The folder of an embedded cluster; null for an external server. */
  readonly clusterDir: string | null;
  close(): Promise<void>;
}

interface OpenServerOptions {
  readonly settings: Pick<
    Settings,
    "dataDir" | "databaseUrl" | "databaseDirectUrl" | "databaseAdminUrl" | "embeddedPort" | "dbPoolSize" | "workers"
  >;
  readonly masterKey: string;
  readonly observer: Observer;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  onProgress(line: string): void;
  /** Called when a program of the embedded PostgreSQL has been started, and this process has nothing to do but wait for it. */
  onWaiting?(): void;
}

/** Starts the embedded PostgreSQL, or waits for the one in the settings and checks its requirements. */
export async function openServer(options: OpenServerOptions): Promise<DatabaseServer> {
  const { databaseUrl } = options.settings;
  return databaseUrl === null ? openEmbedded(options) : openExternal(databaseUrl, options);
}

async function openEmbedded({ settings, masterKey, ...options }: OpenServerOptions): Promise<DatabaseServer> {
  const server = await startEmbedded({
    dataDir: settings.dataDir,
    wantedPort: settings.embeddedPort,
    superuserPassword: derivePassword(masterKey, EMBEDDED_SUPERUSER),
    ...(settings.workers > 1 && { neededConnections: countNodeConnections(settings) + SPARE_CONNECTIONS }),
    ...options,
  });
  const overTcp = `postgresql://127.0.0.1:${server.tcpPort}/${EMBEDDED_DATABASE}`;
  await ensureDatabase(server.adminUrl, EMBEDDED_DATABASE).catch(async (error: unknown) => {
    await server.stop();
    throw error;
  });
  const adminUrl = withDatabase(server.adminUrl, EMBEDDED_DATABASE);
  return {
    adminUrl,
    url: adminUrl,
    directUrl: adminUrl,
    ownerUrl: withRole(overTcp, OWNER_ROLE, derivePassword(masterKey, OWNER_ROLE)),
    clusterDir: server.clusterDir,
    close: () => server.stop(),
  };
}

async function openExternal(url: string, options: OpenServerOptions): Promise<DatabaseServer> {
  const { settings, masterKey, observer, clock, signal } = options;
  const adminUrl = settings.databaseAdminUrl ?? url;
  await waitForDatabase({
    url: adminUrl,
    settingName: adminUrl === url ? "DATABASE_URL" : "DATABASE_ADMIN_URL",
    timeoutMs: WAIT_FOR_DATABASE_MS,
    observer,
    signal,
  });
  for (const missing of await checkRequirements(adminUrl, findNeeds(settings), clock)) {
    observer.note("database.requirement_warning", { missing });
  }
  return {
    adminUrl,
    url,
    directUrl: settings.databaseDirectUrl ?? url,
    ownerUrl: buildOwnerUrl(url, settings, masterKey),
    clusterDir: null,
    close: async () => {},
  };
}

/** The same for every node, whatever its roles: a pool opens connections on demand. */
export function findNeeds({
  databaseUrl,
  databaseDirectUrl,
  dbPoolSize,
  workers,
}: Pick<Settings, "databaseUrl" | "databaseDirectUrl" | "dbPoolSize" | "workers">): NodeNeeds {
  const isPooled = databaseUrl !== null && databaseDirectUrl !== null && databaseDirectUrl !== databaseUrl;
  return { connections: isPooled ? null : countNodeConnections({ dbPoolSize, workers }) };
}

/** The maximum of all processes of a node; of one process when their number is not set. */
function countNodeConnections({ dbPoolSize, workers }: Pick<Settings, "dbPoolSize" | "workers">): number {
  return countConnections(dbPoolSize) * Math.max(1, workers);
}

/** May create databases on the server: the superuser of an embedded one, for an external one the administrator of the settings. */
export function buildServerAdminUrl(
  ownerUrl: string,
  {
    databaseUrl,
    databaseDirectUrl,
    databaseAdminUrl,
  }: Pick<Settings, "databaseUrl" | "databaseDirectUrl" | "databaseAdminUrl">,
  masterKey: string,
): string {
  return (
    databaseAdminUrl ??
    databaseDirectUrl ??
    databaseUrl ??
    withRole(ownerUrl, EMBEDDED_SUPERUSER, derivePassword(masterKey, EMBEDDED_SUPERUSER))
  );
}

/** Without a pooler where possible, because the owner needs a session. */
export function buildOwnerUrl(
  url: string,
  { databaseDirectUrl, databaseAdminUrl }: Pick<Settings, "databaseDirectUrl" | "databaseAdminUrl">,
  masterKey: string,
): string {
  return withRole(databaseDirectUrl ?? databaseAdminUrl ?? url, OWNER_ROLE, derivePassword(masterKey, OWNER_ROLE));
}

/** An interrupted first start may have left the server without the database, so every start checks. */
async function ensureDatabase(serverUrl: string, name: string): Promise<void> {
  await withClient(serverUrl, async (client) => {
    const { rows } = await client.query("select from pg_catalog.pg_database where datname = $1", [name]);
    // The name cannot be a parameter of this statement, so it is quoted.
    if (rows.length === 0) await client.query(`create database ${pg.escapeIdentifier(name)} encoding 'UTF8'`);
  });
}

interface WaitForDatabaseOptions {
  readonly url: string;
  /** The setting that the connection string came from, for messages. */
  readonly settingName: string;
  readonly timeoutMs: number;
  readonly observer: Observer;
  readonly signal: AbortSignal;
}

/** Resolves when the server accepts the login. Waits for an unreachable server, not for one that rejects the login. */
async function waitForDatabase(options: WaitForDatabaseOptions): Promise<void> {
  const { url, settingName, timeoutMs, observer, signal } = options;
  const startedAtMs = performance.now();
  for (;;) {
    signal.throwIfAborted();
    const error = await tryToConnect(url);
    if (error === null) return;
    const waitedMs = Math.round(performance.now() - startedAtMs);
    if (!isUnavailable(error)) {
      throw new Error(`The database of ${settingName} rejects the connection: ${error.message}`, { cause: error });
    }
    if (waitedMs + RETRY_DELAY_MS > timeoutMs) {
      throw new Error(
        `The database of ${settingName} could not be reached for ${Math.round(waitedMs / 1000)} s: ${describe(error)}`,
        { cause: error },
      );
    }
    observer.note("database.waiting", { setting: settingName, reason: describe(error), waitedMs, timeoutMs });
    await sleep(RETRY_DELAY_MS, undefined, { signal });
  }
}

async function tryToConnect(url: string): Promise<Error | null> {
  const client = new DatabaseClient({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query("select 1");
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    await client.end().catch(() => {});
  }
}

function describe(error: Error): string {
  // For a host name with several addresses the error has an empty message and one error per address.
  return error instanceof AggregateError ? error.errors.map(messageOf).join("; ") : error.message;
}
