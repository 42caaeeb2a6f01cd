import { readdir, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Settings } from "../config/index.ts";
import type { Observer } from "../observe/index.ts";

export interface DiskSpace {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

export interface Storage extends DiskSpace {
  readonly walBytes: number;
}

type DiskLevel = "ok" | "low" | "critical";

/** PostgreSQL stops when it cannot write the WAL, and needs some space to start again. */
const CRITICAL_SHARE = 1 / 4;
const LOW_SHARE_OF_DISK = 1 / 50;
const INTERVAL_MS = 30_000;
const EVENTS = { ok: "storage.recovered", low: "storage.low", critical: "storage.critical" } as const;

/** With `warningBytes` of 0 there is no warning. */
export function decideDiskLevel({ freeBytes, totalBytes }: DiskSpace, warningBytes: number): DiskLevel {
  if (freeBytes < warningBytes * CRITICAL_SHARE) return "critical";
  return freeBytes < warningBytes || (warningBytes > 0 && freeBytes < totalBytes * LOW_SHARE_OF_DISK) ? "low" : "ok";
}

export async function measureDisk(folder: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

/** Measures the cluster in a folder of this machine. */
export async function measureStorage(clusterDir: string): Promise<Storage> {
  const [disk, walBytes] = await Promise.all([measureDisk(clusterDir), sumFiles(join(clusterDir, "pg_wal"))]);
  return { ...disk, walBytes };
}

async function sumFiles(folder: string): Promise<number> {
  const names = await readdir(folder);
  // PostgreSQL may remove and rename files there at any time.
  const sizes = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => null)));
  return sizes.reduce((sum, found) => sum + (found?.isFile() === true ? found.size : 0), 0);
}

interface WatchStorageOptions {
  readonly settings: Pick<Settings, "diskWarningBytes" | "walWarningBytes">;
  readonly observer: Observer;
  readonly intervalMs?: number;
  measure(): Promise<Storage>;
}

/** Logs each change once, long before PostgreSQL stops because the disk is full. */
export async function watchStorage(options: WatchStorageOptions, signal: AbortSignal): Promise<void> {
  const { settings, observer, intervalMs = INTERVAL_MS } = options;
  let level: DiskLevel = "ok";
  let isWalLarge = false;
  while (!signal.aborted) {
    const storage = await options.measure();
    const found = decideDiskLevel(storage, settings.diskWarningBytes);
    if (found !== level) observer.note(EVENTS[found], { ...storage });
    level = found;
    const { walBytes, freeBytes } = storage;
    const wasWalLarge = isWalLarge;
    isWalLarge = settings.walWarningBytes > 0 && walBytes > settings.walWarningBytes;
    if (isWalLarge && !wasWalLarge) observer.note("storage.wal_large", { walBytes, freeBytes });
    await sleep(intervalMs, undefined, { signal }).catch(() => {});
  }
}
