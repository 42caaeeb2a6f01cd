import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { loadSettings, parseOptions, type Settings, UsageError } from "../config/index.ts";
import { EMBEDDED_DATABASE, locateBinaries, markRestoredCopy, MASTER_KEY_FILE } from "../db/index.ts";
import { extractBackup } from "./archive/extract-backup.ts";
import type { BackupManifest } from "./archive/manifest.ts";
import { readBackup } from "./archive/read-backup.ts";
import type { Command, CommandContext } from "./command.ts";
import { installCopy, withCheckedCopy } from "./install-copy.ts";
import { type ProgressLine, withProgress } from "./progress-line.ts";
import { typedCommand } from "./typed-command.ts";

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
    requireNoDatabaseUrl(settings);
    const target = resolve(values.to ?? settings.dataDir);
    await withProgress(context, async (progress) => {
      const work = { file: resolve(file), settings, context, progress };
      let manifest: BackupManifest | null = null;
      const previousDir = await installCopy({
        target,
        replaces: values.replace === true,
        context,
        fill: async (draft) => {
          manifest = await checkAndUnpack(draft, work);
        },
      });
      if (manifest === null) return;
      const { createdAt, version }: BackupManifest = manifest;
      printRestored(context, { what: `the backup of ${createdAt} (release ${version})`, target, previousDir });
    });
    return 0;
  },
};

/** Throws with DATABASE_URL: it would hide the embedded database that a restore creates. */
export function requireNoDatabaseUrl({ databaseUrl }: Settings): void {
  if (databaseUrl === null) return;
  throw new Error(
    "DATABASE_URL is set. A backup becomes an embedded database: unset it, or restore with --to on a machine where it is not set.",
  );
}

export function printRestored(
  { stdout }: Pick<CommandContext, "stdout">,
  {
    what,
    target,
    previousDir,
  }: { readonly what: string; readonly target: string; readonly previousDir: string | null },
): void {
  stdout.write(`Restored ${what} to ${target}\n`);
  stdout.write(
    `Deliveries, agent runs and mails are held, because the original may still be running. To resume them: ${typedCommand("resume")}\n`,
  );
  if (previousDir !== null) stdout.write(`The previous data directory is now ${previousDir}\n`);
}

interface RestoreWork {
  readonly file: string;
  readonly settings: Settings;
  readonly context: CommandContext;
  readonly progress: ProgressLine;
}

async function checkAndUnpack(draft: string, work: RestoreWork): Promise<BackupManifest> {
  const { file, settings, context, progress } = work;
  progress.step("checking the backup");
  const manifest = await readBackup({
    file,
    signal: context.signal,
    sink: async () => null,
    onBytes: (count) => progress.add(count),
  });
  await requireReadable(manifest, settings);
  progress.step("unpacking the backup");
  await extractBackup({ file, dataDir: draft, signal: context.signal, onBytes: (count) => progress.add(count) });
  progress.step("verifying the database");
  const stored = await readFile(join(draft, MASTER_KEY_FILE), "utf8").catch(() => null);
  const masterKey = settings.masterKey ?? stored?.trim();
  if (masterKey === undefined) throw missingKeyError();
  await withCheckedCopy(draft, { database: EMBEDDED_DATABASE, masterKey, settings, context }, async (client) => {
    const restoredAt = context.clock.now().toISOString();
    await markRestoredCopy(client, { restoredAt, backupOf: manifest.createdAt }, { isReplacing: true });
  });
  return manifest;
}

async function requireReadable(manifest: BackupManifest, settings: Settings): Promise<void> {
  await requireMajor(manifest.postgresMajor, manifest.version);
  if (!manifest.hasMasterKey && settings.masterKey === null) throw missingKeyError();
}

/** PostgreSQL starts only files of its own major version. */
export async function requireMajor(found: number, release: string): Promise<void> {
  const { major } = await locateBinaries(process.platform, process.arch);
  if (found === major) return;
  throw new Error(
    `The backup was created with PostgreSQL ${found}, and this release of Swarmbase (${major}) cannot ` +
      `start it. Restore it with release ${release}, then bring it up to date with: swarmbase upgrade`,
  );
}

export function missingKeyError(): Error {
  return new Error("The backup contains no master key. Set MASTER_KEY to the one that it was created with.");
}
