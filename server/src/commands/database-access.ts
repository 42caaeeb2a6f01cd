import type { Settings } from "../config/index.ts";
import {
  buildOwnerUrl,
  connectClient,
  type DatabaseClient,
  type DatabaseServer,
  hasEmbeddedCluster,
  openMasterKey,
  openServer,
  withClient,
} from "../db/index.ts";
import { createObserver, type Observer } from "../observe/index.ts";
import type { CommandContext } from "./command.ts";

export interface ServerAccess {
  readonly server: DatabaseServer;
  readonly masterKey: string;
  readonly observer: Observer;
}

export interface OwnerAccess {
  readonly client: DatabaseClient;
  /** The connection string of the server that the client is connected to, password included. */
  readonly url: string;
  readonly masterKey: string;
}

/** An observer listens to its stream as long as this lives, and a command can connect to the database many times. */
const observers = new WeakMap<NodeJS.WritableStream, Observer>();

/** For commands that print a result: logs warnings and errors only, to stderr. */
export function createCommandObserver(settings: Settings, { stderr }: CommandContext): Observer {
  const isVerbose = settings.logLevel === "debug" || settings.logLevel === "trace";
  const observer =
    observers.get(stderr) ??
    createObserver({ level: isVerbose ? settings.logLevel : "warn", format: "pretty", destination: stderr });
  observers.set(stderr, observer);
  return observer;
}

export function neverStartedError(dataDir: string): Error {
  return new Error(
    `The service has not been started with the data directory ${dataDir} yet. Start it once, for example with: npm start`,
  );
}

export async function requireEmbeddedCluster({ dataDir }: Settings): Promise<void> {
  if (!(await hasEmbeddedCluster(dataDir))) throw neverStartedError(dataDir);
}

/** Runs the work with the database server. Starts an embedded one for the duration. */
export async function withServer<T>(
  settings: Settings,
  context: CommandContext,
  work: (access: ServerAccess) => Promise<T>,
  onProgress: (line: string) => void = () => {},
): Promise<T> {
  const observer = createCommandObserver(settings, context);
  const masterKey = await openMasterKey(settings);
  const server = await openServer({ settings, masterKey, observer, ...context, onProgress });
  try {
    return await work({ server, masterKey, observer });
  } finally {
    await server.close();
  }
}

/** Runs the work as the owner of the schema. Starts a stopped embedded database for the duration. */
export async function withOwnerClient<T>(
  settings: Settings,
  context: CommandContext,
  work: (access: OwnerAccess) => Promise<T>,
): Promise<T> {
  const { databaseUrl, dataDir } = settings;
  if (databaseUrl === null) await requireEmbeddedCluster(settings);
  const masterKey = await openMasterKey(settings);
  const workOver = (url: string, source: string | DatabaseClient = url): Promise<T> =>
    withClient(source, (client) => work({ client, url: client.serverUrlOf(url), masterKey }));
  if (databaseUrl !== null) return workOver(buildOwnerUrl(databaseUrl, settings, masterKey));
  const { findCredentials } = await import("../auth/index.ts");
  const credentials = await findCredentials(dataDir);
  // On a failed connection, starting the server either succeeds or gives a better error.
  const running = credentials === null ? null : await connectClient(credentials.database_url).catch(() => null);
  if (credentials !== null && running !== null) return workOver(credentials.database_url, running);
  return withServer(settings, context, ({ server }) => workOver(server.ownerUrl));
}
