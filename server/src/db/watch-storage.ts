import { setTimeout as sleep } from "node:timers/promises";
import type { Settings } from "../config/index.ts";
import type { Observer } from "../observe/index.ts";
import { type DiskLevel, decideDiskLevel, type Storage } from "./storage.ts";

const INTERVAL_MS = 30_000;

const NOTES = { ok: "storage.recovered", low: "storage.low", critical: "storage.critical" } as const;

export interface WatchStorageOptions {
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
    const { freeBytes, totalBytes, walBytes } = await options.measure();
    const found = decideDiskLevel({ freeBytes, totalBytes }, settings.diskWarningBytes);
    if (found !== level) observer.note(NOTES[found], { freeBytes, totalBytes, walBytes });
    level = found;
    const wasWalLarge = isWalLarge;
    isWalLarge = settings.walWarningBytes > 0 && walBytes > settings.walWarningBytes;
    if (isWalLarge && !wasWalLarge) observer.note("storage.wal_large", { walBytes, freeBytes });
    await sleep(intervalMs, undefined, { signal }).catch(() => {});
  }
}
