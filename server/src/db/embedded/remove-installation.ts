import { existsSync } from "node:fs";
import { readdir, rm, rmdir } from "node:fs/promises";
import { join, sep } from "node:path";
import { holdDataDirectory } from "./hold-data-directory.ts";
import { loadLocationRecord } from "./location-record.ts";
import { clusterPath } from "./place-cluster.ts";
import { findCluster } from "./resting-cluster.ts";
import { stopCluster } from "./stop-cluster.ts";

/** What the service creates in a data directory. Other files in the folder are not removed. */
const OWN_NAMES =
  /^(postgres|postgres\.(json|lock(-journal)?|owner|log(\.1)?)|master\.key|credentials\.json|tls|mail)$/;
const LOCK_NAMES = /^postgres\.(lock(-journal)?|owner)$/;
const LEFTOVER_PATIENCE = { fastMs: 10_000, immediateMs: 6_000 };

/** Lists everything that belongs to the installation of a data directory, including a database in another place. */
export async function listInstallation(dataDir: string): Promise<readonly string[]> {
  const home = await findOutsideHome(dataDir);
  return [...(home === null ? [] : [home]), ...(await listOwn(dataDir))];
}

/** Returns the names of foreign files, which stay. Removes the folder itself when it is empty. */
export async function removeInstallation(dataDir: string): Promise<{ readonly left: readonly string[] }> {
  const release = await holdDataDirectory(dataDir);
  try {
    const cluster = await findCluster(dataDir);
    const patience = LEFTOVER_PATIENCE;
    // Where there are signals they go to the processes directly; elsewhere the pg_ctl of this cluster is unknown.
    if (cluster !== null) await stopCluster({ clusterDir: cluster.clusterDir, pgCtl: "pg_ctl", patience });
    const home = await findOutsideHome(dataDir);
    if (home !== null) await removeHome(home);
    for (const path of await listOwn(dataDir)) if (!isLock(path, dataDir)) await removeWhole(path);
  } finally {
    release();
  }
  for (const path of await listOwn(dataDir)) await removeWhole(path);
  const left = await readdir(dataDir);
  if (left.length === 0) await rmdir(dataDir);
  return { left };
}

/** Null also for the home of another data directory that this one was copied from. */
async function findOutsideHome(dataDir: string): Promise<string | null> {
  const record = await loadLocationRecord(dataDir);
  if (record === null || record.dataDir !== dataDir || record.home.startsWith(dataDir + sep)) return null;
  return existsSync(record.home) ? record.home : null;
}

async function removeHome(home: string): Promise<void> {
  const release = await holdDataDirectory(home);
  try {
    // The cluster first, so that an interrupted removal leaves nothing that looks complete.
    await removeWhole(clusterPath(home));
  } finally {
    release();
  }
  await removeWhole(home);
}

async function listOwn(dataDir: string): Promise<readonly string[]> {
  const names = await readdir(dataDir);
  return names.filter((name) => OWN_NAMES.test(name)).map((name) => join(dataDir, name));
}

function isLock(path: string, dataDir: string): boolean {
  return LOCK_NAMES.test(path.slice(dataDir.length + 1));
}

async function removeWhole(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}
