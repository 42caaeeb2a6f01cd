import { existsSync } from "node:fs";
import { join } from "node:path";
import { acquireDirectoryLock, LockHeldError } from "./data-directory-lock.ts";
import { EmbeddedError } from "./embedded-error.ts";

const LOCK_WAIT_MS = 30_000;

/** Prevents a service from starting on the folder until the returned function is called. */
export async function holdDataDirectory(folder: string): Promise<() => void> {
  try {
    const lock = await acquireDirectoryLock({ folder, role: "service", waitMs: LOCK_WAIT_MS });
    return () => lock.release();
  } catch (fault) {
    if (!(fault instanceof LockHeldError)) throw fault;
    const owner = fault.ownerPid === null ? "another process" : `process ${fault.ownerPid}`;
    throw new EmbeddedError(`Swarmbase is running on ${folder} (${owner}). Stop it first; nothing was changed.`, {
      cause: fault,
    });
  }
}

/** Whether a service or another command uses the folder. */
export async function isDataDirectoryHeld(folder: string): Promise<boolean> {
  if (!existsSync(join(folder, "postgres.lock"))) return false;
  try {
    const lock = await acquireDirectoryLock({ folder, role: "watchdog", waitMs: 0 });
    lock.release();
    return false;
  } catch (fault) {
    if (fault instanceof LockHeldError) return true;
    throw fault;
  }
}
