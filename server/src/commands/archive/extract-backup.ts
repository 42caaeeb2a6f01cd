import { chmod, chown, mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncFolder } from "../../crypto/index.ts";
import { type ClusterPlace, KEPT_FILES, prepareCopy } from "../../db/index.ts";
import { CLUSTER_FOLDER } from "./manifest.ts";
import { type ByteSink, type ReadBackupOptions, readBackup } from "./read-backup.ts";
import { ArchiveError, type TarEntry } from "./tar.ts";

interface ExtractOptions extends Omit<ReadBackupOptions, "sink"> {
  readonly dataDir: string;
}

/** Creates a data directory from a backup, and checks it again. The files are on disk when it resolves. */
export async function extractBackup(o: ExtractOptions): Promise<void> {
  const place = await prepareCopy(o.dataDir);
  const folders: string[] = [place.clusterDir];
  const sink = async (entry: Omit<TarEntry, "content">): Promise<ByteSink | null> => {
    const path = placeOf(entry.path, place);
    if (path === null) throw new ArchiveError(`the backup contains ${entry.path}, which does not belong to a backup`);
    if (path.isKept) await mkdir(dirname(path.file), { recursive: true, mode: 0o700 });
    if (entry.kind === "folder") {
      await mkdir(path.file, { recursive: true, mode: 0o700 });
      await own(path.file, place);
      folders.push(path.file);
      return null;
    }
    return openSink(path.file, path.isKept ? null : place, path.file.endsWith("ca-cert.pem") ? 0o644 : 0o600);
  };
  await readBackup({ ...o, sink });
  for (const folder of folders) await syncFolder(folder);
}

function placeOf(path: string, { dataDir, clusterDir }: ClusterPlace): { file: string; isKept: boolean } | null {
  if (KEPT_FILES.some((kept) => kept === path)) return { file: join(dataDir, path), isKept: true };
  if (path === CLUSTER_FOLDER) return { file: clusterDir, isKept: false };
  if (!path.startsWith(`${CLUSTER_FOLDER}/`)) return null;
  return { file: join(clusterDir, path.slice(CLUSTER_FOLDER.length + 1)), isKept: false };
}

/** A file of the cluster, or of ours when `place` is null. On disk when it is closed, unless it need not be. */
export async function openSink(
  path: string,
  place: Pick<ClusterPlace, "account"> | null,
  mode: number,
  isSynced = true,
): Promise<ByteSink> {
  const handle = await open(path, "wx", mode);
  await handle.chmod(mode);
  return {
    write: (chunk) => handle.writeFile(chunk),
    close: async () => {
      try {
        const account = place?.account ?? null;
        if (account !== null) await handle.chown(account.uid, account.gid);
        if (isSynced) await handle.sync();
      } finally {
        await handle.close();
      }
    },
  };
}

export async function own(path: string, { account }: Pick<ClusterPlace, "account">): Promise<void> {
  await chmod(path, 0o700);
  if (account !== null) await chown(path, account.uid, account.gid);
}
