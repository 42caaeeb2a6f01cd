import { createHash } from "node:crypto";
import { link, open, readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { syncFolder } from "../../crypto/index.ts";
import { isProcessAlive } from "../../db/index.ts";
import { type BackedUpFile, type BackupManifest, MANIFEST_PATH } from "./manifest.ts";
import { ArchiveError, renderTarHeader, TAR_END, type TarEntry, tarPadding } from "./tar.ts";

interface WriteBackupOptions {
  readonly file: string;
  readonly entries: AsyncIterable<TarEntry>;
  readonly manifest: Omit<BackupManifest, "files">;
  readonly signal: AbortSignal;
  onBytes(count: number): void;
}

const OWNER_ONLY = 0o600;
const DRAFT_PREFIX = ".swarmbase-backup.";
/** Database pages compress well at the lowest level, and the disk stays the bottleneck. */
const GZIP_LEVEL = 1;

/** Writes the file atomically: it gets its name when it is complete and on disk. Never replaces an existing file. */
export async function writeBackup(o: WriteBackupOptions): Promise<void> {
  const folder = dirname(o.file);
  await removeAbandoned(folder);
  const draft = join(folder, `${DRAFT_PREFIX}${basename(o.file)}.${process.pid}.partial`);
  const handle = await open(draft, "wx", OWNER_ONLY);
  const files: Record<string, BackedUpFile> = {};
  try {
    await pipeline(
      Readable.from(renderArchive(o, files), { objectMode: false }),
      createGzip({ level: GZIP_LEVEL }),
      async (compressed: AsyncIterable<Buffer>) => {
        for await (const chunk of compressed) await handle.writeFile(chunk);
      },
      { signal: o.signal },
    );
    await handle.sync();
    await link(draft, o.file);
    await syncFolder(dirname(o.file));
  } catch (error) {
    if (o.signal.aborted)
      throw new ArchiveError("the backup was interrupted; nothing was left behind", { cause: error });
    throw error;
  } finally {
    await handle.close();
    await rm(draft, { force: true });
  }
}

/** Removes the remains of backups that were killed: they contain secrets and occupy space. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const pid = Number(/\.(\d+)\.partial$/.exec(name)?.[1]);
    if (!name.startsWith(DRAFT_PREFIX) || !Number.isInteger(pid)) continue;
    if (pid === process.pid || !isProcessAlive(pid)) await rm(join(folder, name), { force: true });
  }
}

async function* renderArchive(o: WriteBackupOptions, files: Record<string, BackedUpFile>): AsyncGenerator<Buffer> {
  const createdAtSeconds = Date.parse(o.manifest.createdAt) / 1000;
  for await (const entry of o.entries) {
    yield renderTarHeader(entry, createdAtSeconds);
    if (entry.kind === "folder") continue;
    const hash = createHash("sha256");
    let sizeBytes = 0;
    for await (const chunk of entry.content) {
      hash.update(chunk);
      sizeBytes += chunk.length;
      o.onBytes(chunk.length);
      yield chunk;
    }
    if (sizeBytes !== entry.sizeBytes) throw new ArchiveError(`${entry.path} changed while it was read`);
    yield tarPadding(sizeBytes);
    files[entry.path] = { sizeBytes, sha256: hash.digest("hex") };
  }
  const manifest: BackupManifest = { ...o.manifest, files };
  const text = Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`);
  yield renderTarHeader(
    { path: MANIFEST_PATH, kind: "file", sizeBytes: text.length, mode: OWNER_ONLY },
    createdAtSeconds,
  );
  yield text;
  yield tarPadding(text.length);
  yield TAR_END;
}
