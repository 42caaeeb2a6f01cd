import { catalogueOf, loadProviders } from "./agents/index.ts";
import { checkMasterKey, ensureKeys, type LoadedKeys, loadKeys } from "./auth/index.ts";
import type { ModelCatalogue, Settings } from "./config/index.ts";
import { loadMasterKey, prepareSecretDir } from "./crypto/index.ts";
import {
  clearRestoredCopy,
  connectClient,
  type DatabaseServer,
  findRestoredCopy,
  hasEmbeddedCluster,
  markRestoredCopy,
  migrate,
  type RestoredCopy,
} from "./db/index.ts";
import type { Observer } from "./observe/index.ts";
import { storeModels } from "./tables/index.ts";
import type { Clock } from "./time/index.ts";

/** The key that everything else is locked with. With an embedded database it lives, and is made, beside it. */
export async function openMasterKey(settings: Settings): Promise<string> {
  const { dataDir, databaseUrl, masterKey: given } = settings;
  await prepareSecretDir(dataDir, { mayPassThrough: databaseUrl === null });
  if (databaseUrl === null) return loadMasterKey({ dataDir, given, mayCreate: !(await hasEmbeddedCluster(dataDir)) });
  if (given === null) throw new Error("MASTER_KEY is required with DATABASE_URL");
  return given;
}

export interface PrepareDatabaseOptions {
  readonly settings: Settings;
  readonly observer: Observer;
  readonly clock: Clock;
  readonly server: DatabaseServer;
  readonly masterKey: string;
  /** What agents can be told to use; left out, what the settings say. */
  readonly catalogue?: ModelCatalogue;
}

export interface PreparedDatabase extends LoadedKeys {
  readonly applied: readonly string[];
  readonly restoredCopy: RestoredCopy | null;
}

/** Brings the schema up to date, makes the keys that are missing and settles whether this is a copy, all under the one lock. */
export async function prepareDatabase(options: PrepareDatabaseOptions): Promise<PreparedDatabase> {
  const { settings, observer, clock, server, masterKey } = options;
  const catalogue = options.catalogue ?? catalogueOf(loadProviders(settings));
  await refuseWrongMasterKey(server.adminUrl, masterKey);
  let keys: LoadedKeys | null = null;
  let restoredCopy: RestoredCopy | null = null;
  const { applied } = await migrate({
    adminUrl: server.adminUrl,
    masterKey,
    observer,
    settings,
    afterMigrate: async (client) => {
      await storeModels(client, catalogue);
      if (settings.restoredCopy === "resume") await clearRestoredCopy(client);
      if (settings.restoredCopy === "hold") {
        const copy = { restoredAt: clock.now().toISOString(), backupOf: null };
        await markRestoredCopy(client, copy, { isReplacing: false });
      }
      restoredCopy = await findRestoredCopy(client);
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
  return { ...(keys as LoadedKeys), applied, restoredCopy };
}

async function refuseWrongMasterKey(adminUrl: string, masterKey: string): Promise<void> {
  const client = await connectClient(adminUrl);
  try {
    await checkMasterKey(client, masterKey);
  } finally {
    await client.end();
  }
}
