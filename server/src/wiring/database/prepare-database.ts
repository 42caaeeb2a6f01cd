import {
  catalogueOf,
  type FoundOllama,
  type FoundProviders,
  loadProviders,
  NOTHING_FOUND,
  selectWrappedKeys,
  unwrapKeys,
} from "../../agents/index.ts";
import { checkMasterKey, ensureKeys, type LoadedKeys, loadKeys } from "../../auth/index.ts";
import { rejectCoreNames } from "../../extensions/index.ts";
import {
  clearRestoredCopy,
  type DatabaseServer,
  findRestoredCopy,
  markRestoredCopy,
  migrate,
  type RestoredCopy,
  withClient,
} from "../../db/index.ts";
import type { NodeContext } from "../node-context.ts";
import { storeModels } from "../../tables/index.ts";

export interface PrepareDatabaseOptions
  extends Pick<NodeContext, "settings" | "environment" | "extensions" | "observer" | "clock"> {
  readonly server: DatabaseServer;
  readonly masterKey: string;
  readonly ollama?: FoundOllama | null;
}

export interface PreparedDatabase extends LoadedKeys {
  readonly applied: readonly string[];
  /** Migrations that wait until the nodes of an older release have stopped. */
  readonly waiting: readonly string[];
  readonly restoredCopy: RestoredCopy | null;
  readonly found: FoundProviders;
}

/** Brings the schema up to date, creates missing keys and reads the mark of a restored copy, all under one lock. */
export async function prepareDatabase(options: PrepareDatabaseOptions): Promise<PreparedDatabase> {
  const { settings, environment, extensions, observer, clock, server, masterKey, ollama = null } = options;
  await rejectCoreNames(extensions);
  await withClient(server.adminUrl, (client) => checkMasterKey(client, masterKey));
  let keys: LoadedKeys | null = null;
  let restoredCopy: RestoredCopy | null = null;
  let found: FoundProviders = NOTHING_FOUND;
  const { applied, waiting } = await migrate({
    adminUrl: server.adminUrl,
    masterKey,
    observer,
    settings,
    extensions: extensions.flatMap(({ schema }) => schema ?? []),
    afterMigrate: async (client) => {
      found = { stored: unwrapKeys(masterKey, await selectWrappedKeys(client)), ollama };
      await storeModels(client, catalogueOf(loadProviders(settings, environment, null, found)));
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
  return { ...(keys as LoadedKeys), applied, waiting, restoredCopy, found };
}
