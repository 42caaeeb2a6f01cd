import { existsSync } from "node:fs";
import { mkdir, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { loadSettings, parseOptions, type Settings } from "../config/index.ts";
import { derivePassword } from "../crypto/index.ts";
import {
  findCluster,
  findLastPort,
  KEPT_FILES,
  MASTER_KEY_FILE,
  openMasterKey,
  readBaseBackup,
  readClusterMajor,
  withStoppedCluster,
} from "../db/index.ts";
import { readFileEntry, readFolderEntries } from "./archive/folder-entries.ts";
import { BACKUP_FORMAT, CLUSTER_FOLDER } from "./archive/manifest.ts";
import { readTar, type TarEntry } from "./archive/tar.ts";
import { writeBackup } from "./archive/write-backup.ts";
import type { Command, CommandContext } from "./command.ts";
import { requireEmbeddedCluster } from "./database-access.ts";
import { formatBytes, type ProgressLine, withProgress } from "./progress-line.ts";

export const backupCommand: Command = {
  name: "backup",
  summary: "write the embedded database and its keys to one file",
  help: `
Usage: swarmbase backup [--to <file or folder>]

Writes a consistent copy of the embedded database, the master key and the local certificate authority to one file. The
service may be running or stopped, and stays so. The file contains every row and every secret, and only its owner can read
it. To restore it: swarmbase restore <file>

--to  the target; default: the current folder. A name that ends in .tar.gz or .tgz is the file; anything else is a folder,
      in which the file is named after the time. A missing folder is created for you alone, with a .gitignore. An
      existing file is not replaced.

With DATABASE_URL, use pg_dump, pg_basebackup or the backups of your provider instead, and keep MASTER_KEY with them.`,
  run: async (context) => {
    const { values } = parseOptions(context.args, { to: { type: "string" } });
    const settings = loadSettings(context.env);
    if (settings.databaseUrl !== null) {
      throw new Error(
        "DATABASE_URL is set, so this command cannot back up the database. Use pg_dump, " +
          "pg_basebackup or the backups of your provider, and keep MASTER_KEY with them: without it the stored keys cannot be decrypted.",
      );
    }
    await requireEmbeddedCluster(settings);
    const file = await chooseFile(values.to ?? ".", context);
    await withProgress(context, (progress) => backUp({ file, settings, context, progress }));
    const { size } = await stat(file);
    context.stdout.write(`${file}\n`);
    context.stderr.write(
      `Wrote ${basename(file)} (${formatBytes(size)}). It contains every secret of the deployment: protect it like a password.\n`,
    );
    return 0;
  },
};

const FILE_NAME = /\.(tar\.gz|tgz)$/i;

interface BackupWork {
  readonly file: string;
  readonly settings: Settings;
  readonly context: CommandContext;
  readonly progress: ProgressLine;
}

async function backUp(work: BackupWork): Promise<void> {
  const { settings, context, progress } = work;
  const stopped = await withStoppedCluster(settings.dataDir, async ({ clusterDir }) => {
    progress.step("copying the stopped database");
    await write(work, clusterDir, readFolderEntries(clusterDir));
  });
  if (stopped !== null) return;

  const cluster = await findCluster(settings.dataDir);
  const port = await findLastPort(settings.dataDir);
  if (cluster === null || port === null) throw new Error("The service is starting; try again in a moment.");
  const password = derivePassword(await openMasterKey(settings), "postgres");
  const chunks = readBaseBackup({
    url: `postgresql://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`,
    signal: context.signal,
    includesWal: true,
    onTotal: (bytes) => progress.expect(bytes),
  });
  progress.step("copying the running database");
  await write(work, cluster.clusterDir, readTar(chunks));
}

async function write(work: BackupWork, clusterDir: string, cluster: AsyncIterable<TarEntry>): Promise<void> {
  const { file, settings, context, progress } = work;
  const major = await readClusterMajor(clusterDir);
  if (major === null) throw new Error(`${clusterDir} does not name the PostgreSQL version that created it.`);
  const kept: TarEntry[] = [];
  for (const path of KEPT_FILES) {
    const source = join(settings.dataDir, path);
    if (existsSync(source)) kept.push(await readFileEntry(source, path));
  }
  const hasMasterKey = kept.some(({ path }) => path === MASTER_KEY_FILE);
  await writeBackup({
    file,
    entries: joinEntries(kept, cluster),
    manifest: {
      format: BACKUP_FORMAT,
      version: context.version,
      createdAt: context.clock.now().toISOString(),
      postgresMajor: major,
      hasMasterKey,
    },
    signal: context.signal,
    onBytes: (count) => progress.add(count),
  });
  if (!hasMasterKey)
    context.stderr.write("The backup does not contain the master key, because MASTER_KEY sets it. Keep that too.\n");
}

async function* joinEntries(kept: readonly TarEntry[], cluster: AsyncIterable<TarEntry>): AsyncGenerator<TarEntry> {
  yield* kept;
  for await (const entry of cluster) yield { ...entry, path: `${CLUSTER_FOLDER}/${entry.path}` };
}

async function chooseFile(to: string, { clock }: CommandContext): Promise<string> {
  const target = resolve(to);
  const found = await stat(target).catch(() => null);
  if (found?.isFile() === true) throw existsError(target);
  const isFolder = found?.isDirectory() ?? (to.endsWith("/") || !FILE_NAME.test(target));
  const stamp = clock.now().toISOString().slice(0, 19).replaceAll(":", "-");
  const file = isFolder ? join(target, `swarmbase-${stamp}Z.tar.gz`) : target;
  if (existsSync(file)) throw existsError(file);
  await makeFolder(dirname(file));
  return file;
}

function existsError(file: string): Error {
  return new Error(`${file} exists already, and a backup never replaces a file.`);
}

/** An existing folder keeps its mode: the operator chose it. A new one is excluded from version control. */
async function makeFolder(folder: string): Promise<void> {
  const firstMade = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (firstMade !== undefined) await writeFile(join(folder, ".gitignore"), "*\n", { mode: 0o600 });
}
