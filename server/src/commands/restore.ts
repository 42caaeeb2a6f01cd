import { readdir, readFile, rename } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { loadSettings, parseOptions, type Settings, UsageError } from "../config/index.ts";
import { derivePassword, syncFolder } from "../crypto/index.ts";
import {
  compareMigrations,
  EMBEDDED_DATABASE,
  isProcessAlive,
  locateBinaries,
  lockDataDirectory,
  markRestoredCopy,
  removeCopy,
  startEmbedded,
  unlessMissing,
  withClient,
  withDatabase,
} from "../db/index.ts";
import { extractBackup } from "./archive/extract-backup.ts";
import { type BackupManifest, MASTER_KEY_FILE } from "./archive/manifest.ts";
import { readBackup } from "./archive/read-backup.ts";
import type { Command, CommandContext } from "./command.ts";
import { createCommandObserver } from "./database-access.ts";
import { type ProgressLine, withProgress } from "./progress-line.ts";

const UNFINISHED = "restoring";

export const restoreCommand: Command = {
  name: "restore",
  summary: "restore a backup",
  help: `
Usage: swarmbase restore <file> [--to <folder>] [--replace]

Checks the whole file, unpacks it beside the data directory, starts the database there once to verify that it is intact
and not newer than this release, and only then moves it into place. A failure before that leaves nothing behind.

The result is marked as a copy, because its original may still be running: webhook deliveries, agent runs and mails are
held until you declare it the original with: swarmbase resume

--to       the data directory to create; default: DATA_DIR.
--replace  moves an existing data directory to <folder>.before-<time> and takes its place. The service must be stopped.
           Without this option a folder that is not empty is left unchanged.`,
  run: async (context) => {
    const { positionals, values } = parseOptions(
      context.args,
      { to: { type: "string" }, replace: { type: "boolean" } },
      1,
    );
    const [file] = positionals;
    if (file === undefined) throw new UsageError("Name the file: restore <file>");
    const settings = loadSettings(context.env);
    if (settings.databaseUrl !== null) {
      throw new Error(
        "DATABASE_URL is set. A backup becomes an embedded database: unset it, or restore with --to on a machine where it is not set.",
      );
    }
    const target = resolve(values.to ?? settings.dataDir);
    const isUsed = await isUsedFolder(target);
    if (isUsed && values.replace !== true) {
      throw new Error(
        `${target} is not empty, and nothing was changed. To put the backup in its place, add --replace, which moves the present content to another folder.`,
      );
    }
    await withProgress(context, (progress) =>
      restore({ file: resolve(file), target, isUsed, settings, context, progress }),
    );
    return 0;
  },
};

interface RestoreWork {
  readonly file: string;
  readonly target: string;
  readonly isUsed: boolean;
  readonly settings: Settings;
  readonly context: CommandContext;
  readonly progress: ProgressLine;
}

async function restore(work: RestoreWork): Promise<void> {
  const { file, target, context, progress } = work;
  // Held until the end, so that no service starts on a folder that is about to be moved.
  const lock = work.isUsed ? await lockDataDirectory({ folder: target }) : null;
  try {
    progress.step("checking the backup");
    const manifest = await readBackup({
      file,
      signal: context.signal,
      sink: async () => null,
      onBytes: (count) => progress.add(count),
    });
    await requireReadable(manifest, work.settings);
    await removeUnfinished(target);
    const draft = join(dirname(target), `.${basename(target)}.${UNFINISHED}-${process.pid}`);
    try {
      await unpackAndVerify(draft, work, manifest);
      context.signal.throwIfAborted();
      const previousDir = await putInPlace(draft, work);
      context.stdout.write(`Restored the backup of ${manifest.createdAt} (release ${manifest.version}) to ${target}\n`);
      context.stdout.write(
        "Deliveries, agent runs and mails are held, because the original may still be running. To resume them: swarmbase resume\n",
      );
      if (previousDir !== null) context.stdout.write(`The previous data directory is now ${previousDir}\n`);
    } catch (error) {
      await removeCopy(draft);
      throw error;
    }
  } finally {
    lock?.release();
  }
}

async function unpackAndVerify(draft: string, work: RestoreWork, { createdAt }: BackupManifest): Promise<void> {
  const { file, settings, context, progress } = work;
  progress.step("unpacking the backup");
  await extractBackup({ file, dataDir: draft, signal: context.signal, onBytes: (count) => progress.add(count) });
  progress.step("verifying the database");
  const stored = await readFile(join(draft, MASTER_KEY_FILE), "utf8").catch(() => null);
  const masterKey = settings.masterKey ?? stored?.trim();
  if (masterKey === undefined)
    throw new Error("The backup contains no master key. Set MASTER_KEY to the one that it was created with.");
  const server = await startEmbedded({
    dataDir: draft,
    wantedPort: 0,
    superuserPassword: derivePassword(masterKey, "postgres"),
    observer: createCommandObserver(settings, context),
  });
  try {
    await withClient(withDatabase(server.adminUrl, EMBEDDED_DATABASE), async (client) => {
      const { unknown } = await compareMigrations(client);
      if (unknown.length > 0) {
        throw new Error(
          `The backup is from a newer release of Swarmbase: this one does not know ${unknown.join(", ")}. Nothing was changed.`,
        );
      }
      const restoredAt = context.clock.now().toISOString();
      await markRestoredCopy(client, { restoredAt, backupOf: createdAt }, { isReplacing: true });
    });
  } finally {
    await server.stop();
  }
}

/** Two renames: a power failure between them leaves both folders complete, under names that tell them apart. */
async function putInPlace(draft: string, { target, isUsed, context }: RestoreWork): Promise<string | null> {
  const stamp = context.clock.now().toISOString().slice(0, 19).replaceAll(":", "-");
  const previousDir = isUsed ? `${target}.before-${stamp}Z` : null;
  if (previousDir !== null) await rename(target, previousDir);
  await rename(draft, target);
  await syncFolder(dirname(target));
  return previousDir;
}

async function requireReadable(manifest: BackupManifest, settings: Settings): Promise<void> {
  const { major } = await locateBinaries(process.platform, process.arch);
  if (manifest.postgresMajor !== major) {
    throw new Error(
      `The backup was created with PostgreSQL ${manifest.postgresMajor}, and this release of Swarmbase (${major}) cannot ` +
        `start it. Restore it with release ${manifest.version}, then bring it up to date with: swarmbase upgrade`,
    );
  }
  if (!manifest.hasMasterKey && settings.masterKey === null) {
    throw new Error("The backup contains no master key. Set MASTER_KEY to the one that it was created with.");
  }
}

/** Removes the remains of restores that were killed. */
async function removeUnfinished(target: string): Promise<void> {
  const prefix = `.${basename(target)}.${UNFINISHED}-`;
  for (const name of await readdir(dirname(target)).catch(() => [])) {
    const pid = Number(name.slice(prefix.length));
    if (!name.startsWith(prefix) || !Number.isInteger(pid)) continue;
    if (pid === process.pid || !isProcessAlive(pid)) await removeCopy(join(dirname(target), name));
  }
}

async function isUsedFolder(path: string): Promise<boolean> {
  return ((await unlessMissing(readdir(path))) ?? []).length > 0;
}
