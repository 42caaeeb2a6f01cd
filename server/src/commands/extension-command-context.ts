import { createAddressPolicy, openGuardedFetch } from "@swarmbase/guarded-fetch";
import pg from "pg";
import type { Settings } from "../config/index.ts";
import { buildServerAdminUrl, compareMigrations, type ExtensionSchema, withScratchDatabase } from "../db/index.ts";
import type { CommandDatabase, ExtensionCommandContext, LoadedExtension, ServerCopies } from "../extensions/index.ts";
import type { Observer } from "../observe/index.ts";
import { runInBackground } from "../processes/index.ts";
import type { CommandContext } from "./command.ts";
import { createCommandObserver, type OwnerAccess, withOwnerClient } from "./database-access.ts";

/** What a command of an extension can use. */
export function openCommandContext(
  { extension, settings }: LoadedExtension,
  serviceSettings: Settings,
  schemas: readonly ExtensionSchema[],
  context: CommandContext,
): ExtensionCommandContext {
  const { clock, ...streams } = context;
  return {
    ...streams,
    now: () => clock.now(),
    settings,
    serviceSettings,
    findCredentials: async () => (await import("../auth/index.ts")).findCredentials(serviceSettings.dataDir),
    openFetch: openServiceFetch,
    signDelivery: async (delivery, body) => {
      const { buildDeliveryHeaders } = await import("../webhooks/index.ts");
      return buildDeliveryHeaders({ ...delivery, previousSecrets: [] }, body, clock.now());
    },
    copies: openCopiesAtFirstUse(extension.name, serviceSettings, context),
    runInBackground: (args, signal) => runInBackground({ args, env: { ...context.env }, signal }),
    withDatabase: (work) =>
      withOwnerClient(serviceSettings, context, (access) =>
        work(openCommandDatabase(access, serviceSettings, schemas, createCommandObserver(serviceSettings, context))),
      ),
  };
}

/** Most commands restore nothing, and loading what restores takes longer than they run. */
function openCopiesAtFirstUse(extension: string, settings: Settings, context: CommandContext): ServerCopies {
  const open = async (): Promise<ServerCopies> => {
    const { openServerCopies } = await import("./open-server-copies.ts");
    return openServerCopies(extension, settings, context);
  };
  return {
    deriveKey: async (purpose) => (await open()).deriveKey(purpose),
    findServer: async () => (await open()).findServer(),
    install: async (copy, options) => (await open()).install(copy, options),
    tryOut: async (copy, options, work) => (await open()).tryOut(copy, options, work),
    writeFiles: async (copy, folder) => (await open()).writeFiles(copy, folder),
  };
}

/** A command can follow several runs at once, each with a stream and further requests. */
const SERVICE_CONNECTIONS = 16;

/** The address policy is for URLs of users; here the person at the command line names the service. */
export function openServiceFetch({ url, ca }: { readonly url: string; readonly ca: readonly string[] }) {
  const { fetch, dispatcher, close } = openGuardedFetch({
    policy: createAddressPolicy({ allowedCidrs: [] }),
    ca,
    connectionsPerOrigin: SERVICE_CONNECTIONS,
    exemptUrls: [url],
  });
  return { fetch: fetch as unknown as typeof globalThis.fetch, dispatcher, close };
}

function openCommandDatabase(
  { client, url, masterKey }: OwnerAccess,
  settings: Settings,
  extensions: readonly ExtensionSchema[],
  observer: Observer,
): CommandDatabase {
  return {
    client,
    url,
    withScratchDatabase: async (work) => {
      const { pending, unknown, fault } = await compareMigrations(client, extensions);
      if (fault !== null) throw new Error(fault);
      if (pending.length > 0)
        throw new Error(
          `Migrations of Swarmbase are pending: ${pending.join(", ")}. Apply them with: swarmbase migrate`,
        );
      if (unknown.length > 0)
        throw new Error(`The database is newer than this release, which does not know ${unknown.join(", ")}.`);
      const adminUrl = buildServerAdminUrl(url, settings, masterKey);
      return withScratchDatabase({ adminUrl, masterKey, observer, settings, extensions }, work);
    },
    loadCatalogue: async (schemas) => {
      const { loadCatalogue } = await import("../rest/index.ts");
      const pool = new pg.Pool({ connectionString: url, max: 1 });
      try {
        return await loadCatalogue(pool, schemas);
      } finally {
        await pool.end();
      }
    },
  };
}
