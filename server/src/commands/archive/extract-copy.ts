import { mkdir, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type ClusterPlace, KEPT_FILES, MASTER_KEY_FILE, unlessMissing } from "../../db/index.ts";
import type { ServerCopy } from "../../extensions/index.ts";
import { openSink, own } from "./extract-backup.ts";
import { ArchiveError, readTar } from "./tar.ts";

const OWNER_ONLY = 0o600;
const SEGMENT = /^[0-9A-F]{24}$/;

interface ExtractCopyOptions {
  readonly copy: ServerCopy;
  readonly place: Pick<ClusterPlace, "clusterDir" | "account">;
  readonly signal: AbortSignal;
  onStep(title: string): void;
  onBytes(count: number): void;
}

/** Writes the cluster of a copy and its WAL. PostgreSQL syncs all of its files itself before it recovers them. */
export async function extractCopy(o: ExtractCopyOptions): Promise<void> {
  const { copy, signal, place } = o;
  const { clusterDir } = place;
  const write = async (path: string, content: AsyncIterable<Buffer>): Promise<void> => {
    const sink = await openSink(join(clusterDir, path), place, OWNER_ONLY, false);
    try {
      for await (const chunk of content) {
        signal.throwIfAborted();
        await sink.write(chunk);
        o.onBytes(chunk.length);
      }
    } finally {
      await sink.close();
    }
  };
  o.onStep("unpacking the base backup");
  for await (const { path, kind, content } of readTar(copy.cluster())) {
    if (kind === "file") {
      await write(path, content);
      continue;
    }
    const folder = join(clusterDir, path);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await own(folder, place);
  }
  o.onStep("unpacking the write-ahead log");
  for await (const { name, content } of copy.wal()) {
    if (!SEGMENT.test(name)) throw new ArchiveError(`${name} is no file of the write-ahead log`);
    await write(`pg_wal/${name}`, content);
  }
}

/** Writes what belongs to the data directory beside the cluster. */
export async function writeKeptFiles(
  dataDir: string,
  keptFiles: ServerCopy["keptFiles"],
  masterKey: string | null,
): Promise<void> {
  const entries = Object.entries(keptFiles).filter(([path]) => KEPT_FILES.some((kept) => kept === path));
  if (masterKey !== null) entries.push([MASTER_KEY_FILE, Buffer.from(`${masterKey}\n`)]);
  for (const [path, content] of entries) {
    const file = join(dataDir, path);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const sink = await openSink(file, null, path.endsWith("ca-cert.pem") ? 0o644 : OWNER_ONLY);
    try {
      await sink.write(content);
    } finally {
      await sink.close();
    }
  }
}

/** Throws unless the folder is missing or empty, and creates it for its owner. */
export async function makeEmptyFolder(folder: string): Promise<void> {
  if (((await unlessMissing(readdir(folder))) ?? []).length > 0)
    throw new Error(`${folder} is not empty, and nothing was changed.`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
}
