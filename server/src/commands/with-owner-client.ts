import type { Client } from "pg";
import { openMasterKey } from "../prepare-database.ts";
import { findCredentials } from "../auth/index.ts";
import type { Settings } from "../config/index.ts";
import { buildOwnerUrl, connectClient, hasEmbeddedCluster, openServer } from "../db/index.ts";
import type { CommandContext } from "./command.ts";
import { createCommandObserver } from "./create-command-observer.ts";
import { neverStartedError } from "./never-started-error.ts";

export interface OwnerAccess {
  readonly client: Client;
  readonly masterKey: string;
}

/** Runs the work as the owner of the schema. Starts a stopped embedded database for the duration. */
export async function withOwnerClient<T>(
  settings: Settings,
  context: CommandContext,
  work: (access: OwnerAccess) => Promise<T>,
): Promise<T> {
  const { databaseUrl, dataDir } = settings;
  if (databaseUrl === null && !(await hasEmbeddedCluster(dataDir))) throw neverStartedError(dataDir);
  const masterKey = await openMasterKey(settings);

  if (databaseUrl !== null) {
    return useClient(await connectClient(buildOwnerUrl({ ...settings, databaseUrl }, masterKey)), masterKey, work);
  }
  const running = await findRunning(dataDir);
  if (running !== null) return useClient(running, masterKey, work);

  const observer = createCommandObserver(settings, context);
  const server = await openServer({ settings, masterKey, observer, ...context, onProgress: () => {} });
  try {
    return await useClient(await connectClient(server.ownerUrl), masterKey, work);
  } finally {
    await server.close();
  }
}

async function useClient<T>(client: Client, masterKey: string, work: (access: OwnerAccess) => Promise<T>): Promise<T> {
  try {
    return await work({ client, masterKey });
  } finally {
    await client.end();
  }
}

/** On a failed connection, starting the server either succeeds or gives a better error. */
async function findRunning(dataDir: string): Promise<Client | null> {
  const credentials = await findCredentials(dataDir);
  if (credentials === null) return null;
  return connectClient(credentials.database_url).catch(() => null);
}
