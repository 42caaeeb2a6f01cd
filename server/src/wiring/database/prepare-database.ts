import { catalogueOf, loadProviders } from "../../agents/index.ts";
import { checkMasterKey, ensureKeys, type LoadedKeys, loadKeys } from "../../auth/index.ts";
import type { ModelCatalogue, Settings } from "../../config/index.ts";
import { loadMasterKey, prepareSecretDir } from "../../crypto/index.ts";
import {
  clearRestoredCopy,
  type DatabaseServer,
  findRestoredCopy,
  hasEmbeddedCluster,
  markRestoredCopy,
  migrate,
  type RestoredCopy,
  withClient,
} from "../../db/index.ts";
import type { NodeContext } from "../node-context.ts";
import { storeModels } from "../../tables/index.ts";

/** The key that wraps all other secrets. With an embedded database it is created and stored beside it. */
export async function openMasterKey(settings: Settings): Promise<string> {
  const { dataDir, databaseUrl, masterKey: given } = settings;
  await prepareSecretDir(dataDir, { mayPassThrough: databaseUrl === null });
  if (databaseUrl === null) return loadMasterKey({ dataDir, given, mayCreate: !(await hasEmbeddedCluster(dataDir)) });
  if (given === null) throw new Error("MASTER_KEY is required with DATABASE_URL");
  return given;
}

export interface PrepareDatabaseOptions extends Pick<NodeContext, "settings" | "extensions" | "observer" | "clock"> {
  readonly server: DatabaseServer;
  readonly masterKey: string;
  /** The models that agents can use; default: those of the settings. */
  readonly catalogue?: ModelCatalogue;
}

export interface PreparedDatabase extends LoadedKeys {
  readonly applied: readonly string[];
  /** Migrations that wait until the nodes of an older release have stopped. */
  readonly waiting: readonly string[];
  readonly restoredCopy: RestoredCopy | null;
}

/** Brings the schema up to date, creates missing keys and reads the mark of a restored copy, all under one lock. */
export async function prepareDatabase(options: PrepareDatabaseOptions): Promise<PreparedDatabase> {
  const { settings, extensions, observer, clock, server, masterKey } = options;
  const catalogue = options.catalogue ?? catalogueOf(loadProviders(settings));
  await withClient(server.adminUrl, (client) => checkMasterKey(client, masterKey));
  let keys: LoadedKeys | null = null;
  let restoredCopy: RestoredCopy | null = null;
  const { applied, waiting } = await migrate({
    adminUrl: server.adminUrl,
    masterKey,
    observer,
    settings,
    extensions: extensions.flatMap(({ schema }) => schema ?? []),
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
  return { ...(keys as LoadedKeys), applied, waiting, restoredCopy };
}
