import type { StatsFs } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { RestorePlan } from "../archive/plan-restore.ts";

/** For what the temporary database writes itself, and for the others who use the disk. */
const RESERVE_BYTES = 256 * 1024 * 1024;
const MIB = 1024 * 1024;

/** Rejects unless the disk has space for the copy of a plan: its files, its WAL, and the pages that the replay adds. */
export async function requireSpace({ base, wal }: RestorePlan, folder: string): Promise<void> {
  const walBytes = wal.pieces.reduce((sum, { start, end }) => sum + Number(end - start), 0);
  const needed = base.clusterBytes + 2 * walBytes + RESERVE_BYTES;
  const { bavail, bsize } = await findFileSystem(folder);
  const free = bavail * bsize;
  if (free >= needed) return;
  throw new Error(
    `A verification needs ${Math.ceil(needed / MIB)} MiB of disk space in ${folder}, which has ${Math.floor(free / MIB)} MiB. ` +
      "Free some, or name a folder on another disk: BACKUP_VERIFY_DIR, or --in.",
  );
}

/** The folder may not exist yet. */
async function findFileSystem(folder: string): Promise<StatsFs> {
  return statfs(folder).catch((error: unknown) => {
    const parent = dirname(folder);
    if (parent === folder || !(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    return findFileSystem(parent);
  });
}
