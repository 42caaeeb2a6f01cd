import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { messageOf } from "../../db/index.ts";
import { type BackedUpFile, type BackupManifest, MANIFEST_PATH, parseManifest } from "./manifest.ts";
import { ArchiveError, readTar, type TarEntry } from "./tar.ts";

const MANIFEST_LIMIT_BYTES = 256 * 1024 * 1024;
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/** Receives the content of an entry while it is checked; null discards it. */
type EntrySink = (entry: Omit<TarEntry, "content">) => Promise<ByteSink | null>;

export interface ByteSink {
  write(chunk: Buffer): Promise<void>;
  close(): Promise<void>;
}

export interface ReadBackupOptions {
  readonly file: string;
  readonly signal: AbortSignal;
  readonly sink: EntrySink;
  onBytes(count: number): void;
}

/** Reads the whole backup. Rejects unless it is complete and unchanged. */
export async function readBackup(o: ReadBackupOptions): Promise<BackupManifest> {
  await requireGzip(o.file);
  const unpacked = createGunzip();
  pipeline(createReadStream(o.file), unpacked, () => {});
  const found = new Map<string, BackedUpFile>();
  let manifest: BackupManifest | null = null;
  try {
    for await (const entry of readTar(unpacked)) {
      o.signal.throwIfAborted();
      if (manifest !== null) throw new ArchiveError("the backup has data after its end");
      if (entry.path === MANIFEST_PATH) manifest = await readManifest(entry);
      else await readEntry(entry, found, o);
    }
  } catch (error) {
    throw explain(error, o);
  } finally {
    unpacked.destroy();
  }
  if (manifest === null) throw new ArchiveError(`${o.file} is cut off: the end is missing`);
  requireSame(manifest.files, found);
  return manifest;
}

async function readEntry(entry: TarEntry, found: Map<string, BackedUpFile>, o: ReadBackupOptions): Promise<void> {
  if (found.has(entry.path)) throw new ArchiveError(`the backup contains ${entry.path} twice`);
  const sink = await o.sink(entry);
  if (entry.kind === "folder") return;
  const hash = createHash("sha256");
  try {
    for await (const chunk of entry.content) {
      hash.update(chunk);
      o.onBytes(chunk.length);
      await sink?.write(chunk);
    }
  } finally {
    await sink?.close();
  }
  found.set(entry.path, { sizeBytes: entry.sizeBytes, sha256: hash.digest("hex") });
}

async function readManifest({ sizeBytes, content }: TarEntry): Promise<BackupManifest> {
  if (sizeBytes > MANIFEST_LIMIT_BYTES) throw new ArchiveError("the backup's manifest is too large");
  const parts: Buffer[] = [];
  for await (const chunk of content) parts.push(chunk);
  return parseManifest(Buffer.concat(parts).toString());
}

function requireSame(expected: BackupManifest["files"], found: ReadonlyMap<string, BackedUpFile>): void {
  for (const [path, { sizeBytes, sha256 }] of Object.entries(expected)) {
    const file = found.get(path);
    if (file === undefined) throw new ArchiveError(`the backup is damaged: ${path} is missing`);
    if (file.sizeBytes !== sizeBytes || file.sha256 !== sha256) {
      throw new ArchiveError(`the backup is damaged: the content of ${path} has changed`);
    }
  }
  for (const path of found.keys()) {
    if (!Object.hasOwn(expected, path))
      throw new ArchiveError(`the backup contains ${path}, which is not in its list of files`);
  }
}

async function requireGzip(file: string): Promise<void> {
  const handle = await open(file, "r").catch((cause: unknown) => {
    throw new ArchiveError(`${file} cannot be read: ${messageOf(cause)}`, { cause });
  });
  try {
    const start = Buffer.alloc(GZIP_MAGIC.length);
    await handle.read(start, 0, start.length, 0);
    if (!start.equals(GZIP_MAGIC)) throw new ArchiveError(`${file} is not a backup of Swarmbase`);
  } finally {
    await handle.close();
  }
}

function explain(error: unknown, { file, signal }: ReadBackupOptions): Error {
  if (signal.aborted) return new ArchiveError("interrupted", { cause: error });
  if (error instanceof ArchiveError) return new ArchiveError(`${file}: ${error.message}`, { cause: error });
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code.startsWith("Z_")) {
    const what = code === "Z_BUF_ERROR" ? "cut off" : "damaged";
    return new ArchiveError(`${file} is ${what} and cannot be unpacked`, { cause: error });
  }
  return error instanceof Error ? error : new Error(String(error));
}
