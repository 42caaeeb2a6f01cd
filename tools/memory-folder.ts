import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { freemem } from "node:os";
import { join } from "node:path";

const PLACE = "/dev/shm";
/** Several times the size that a whole run has needed. */
const NEEDED_BYTES = 8 * 1024 ** 3;
const TMPFS_MAGIC = 0x01021994;

/**
 * Creates a folder in memory if there is enough: a run creates a million small files, which takes longer on disk than
 * the tests themselves. Returns null if there is no such place, or if it does not allow executables.
 */
export function makeMemoryFolder(place = PLACE): string | null {
  if (!existsSync(place) || freemem() < NEEDED_BYTES) return null;
  const { type, bavail, bsize } = statfsSync(place);
  if (type !== TMPFS_MAGIC || bavail * bsize < NEEDED_BYTES) return null;
  try {
    const folder = mkdtempSync(join(place, "swarmbase-tests-"));
    // Writable for all accounts like other temporary folders: as root, databases run under another account.
    chmodSync(folder, 0o1777);
    if (canExecute(folder)) return folder;
    rmSync(folder, { recursive: true });
  } catch {}
  return null;
}

function canExecute(folder: string): boolean {
  const program = join(folder, "probe");
  writeFileSync(program, "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  const { status } = spawnSync(program);
  rmSync(program);
  return status === 0;
}
