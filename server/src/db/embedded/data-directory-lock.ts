import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { EmbeddedError } from "./embedded-error.ts";
import { isProcessAlive } from "./process-state.ts";

/** A watchdog holds the lock only while it cleans up after a service that died, so others wait for it. */
type LockRole = "service" | "watchdog";

export interface DirectoryLock {
  release(): void;
}

interface LockOptions {
  readonly folder: string;
  readonly role?: LockRole;
  readonly waitMs?: number;
  onWait?(): void;
}

export class LockHeldError extends Error {
  override readonly name = "LockHeldError";
  readonly ownerPid: number | null;
  constructor(folder: string, ownerPid: number | null) {
    const owner = ownerPid === null ? "another process" : `process ${ownerPid}`;
    super(`Swarmbase is already running on the data directory ${folder} (${owner}).`);
    this.ownerPid = ownerPid;
  }
}

const RETRY_MS = 25;
const WAIT_MS = 30_000;
const SQLITE_BUSY = 5;

// The reference also prevents garbage collection, which would release the lock.
const heldFolders = new Map<string, DatabaseSync | null>();

/**
 * One owner per folder, by a lock that the kernel releases when its process dies. Node.js has no such lock, but SQLite locks
 * a file on every platform. The file beside it only names the holder of the lock.
 */
export async function acquireDirectoryLock(o: LockOptions): Promise<DirectoryLock> {
  const folder = resolve(o.folder);
  if (heldFolders.has(folder)) throw new LockHeldError(folder, process.pid);
  heldFolders.set(folder, null);
  try {
    const database = await takeLock(folder, o);
    heldFolders.set(folder, database);
    writeFileSync(ownerPath(folder), `${JSON.stringify({ pid: process.pid, role: o.role ?? "service" })}\n`, {
      mode: 0o600,
    });
    return { release: () => releaseLock(folder) };
  } catch (fault) {
    releaseLock(folder);
    throw fault;
  }
}

/** Prevents another service from starting on the folder. Rejects with an EmbeddedError while one runs. */
export async function lockDataDirectory(
  o: LockOptions,
  advice = "Stop it first; nothing was changed.",
): Promise<DirectoryLock> {
  return acquireDirectoryLock(o).catch((fault: unknown) => {
    if (!(fault instanceof LockHeldError)) throw fault;
    throw new EmbeddedError(`${fault.message} ${advice}`, { cause: fault });
  });
}

/** Whether a service or another command uses the folder. */
export async function isDataDirectoryLocked(folder: string): Promise<boolean> {
  if (!existsSync(lockPath(folder))) return false;
  try {
    (await acquireDirectoryLock({ folder, role: "watchdog", waitMs: 0 })).release();
    return false;
  } catch (fault) {
    if (fault instanceof LockHeldError) return true;
    throw fault;
  }
}

async function takeLock(folder: string, o: LockOptions): Promise<DatabaseSync> {
  const path = lockPath(folder);
  // Created beforehand, because SQLite does not report why it cannot open a file.
  closeSync(openSync(path, "a", 0o600));
  const deadline = performance.now() + (o.waitMs ?? WAIT_MS);
  let hasWaited = false;
  for (;;) {
    const database = tryLock(path);
    if (database !== null) return database;
    const owner = readOwner(folder);
    const isLiveService = owner?.role === "service" && isProcessAlive(owner.pid);
    if (isLiveService || performance.now() > deadline) throw new LockHeldError(folder, owner?.pid ?? null);
    // Either a watchdog is cleaning up, or two starts compete for the lock.
    if (!hasWaited && owner?.role === "watchdog") {
      hasWaited = true;
      o.onWait?.();
    }
    // The delay depends on the process, so that two starts do not collide repeatedly.
    await sleep(RETRY_MS + (process.pid % RETRY_MS));
  }
}

function tryLock(path: string): DatabaseSync | null {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec("begin exclusive");
    return database;
  } catch (fault) {
    database.close();
    if (fault instanceof Error && "errcode" in fault && fault.errcode === SQLITE_BUSY) return null;
    throw fault;
  }
}

function releaseLock(folder: string): void {
  heldFolders.get(folder)?.close();
  heldFolders.delete(folder);
}

function readOwner(folder: string): { pid: number; role: LockRole } | null {
  try {
    const owner: unknown = JSON.parse(readFileSync(ownerPath(folder), "utf8"));
    if (typeof owner !== "object" || owner === null || !("pid" in owner) || !("role" in owner)) return null;
    if (typeof owner.pid !== "number" || (owner.role !== "service" && owner.role !== "watchdog")) return null;
    return { pid: owner.pid, role: owner.role };
  } catch {
    return null;
  }
}

function lockPath(folder: string): string {
  return join(folder, "postgres.lock");
}

function ownerPath(folder: string): string {
  return join(folder, "postgres.owner");
}
