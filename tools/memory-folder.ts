import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { freemem } from "node:os";
import { join } from "node:path";

const PLACE = "/dev/shm";
/** Several times what a whole run has been seen to need. */
const NEEDED_BYTES = 8 * 1024 ** 3;
const TMPFS_MAGIC = 0x01021994;

/**
 * A new folder in memory, where there is plenty of it: a run makes a million small files, which a disk takes longer for than
 * tests take to run. Null where there is no such place, or nothing in it may be executed.
 */
export function makeMemoryFolder(place = PLACE): string | null {
  if (!existsSync(place) || freemem() < NEEDED_BYTES) return null;
  const { type, bavail, bsize } = statfsSync(place);
  if (type !== TMPFS_MAGIC || bavail * bsize < NEEDED_BYTES) return null;
  try {
    const folder = mkdtempSync(join(place, "swarmbase-tests-"));
    // As a place for temporary files is: as root, databases run under another account.
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
