import { existsSync } from "node:fs";
import { readdir, rmdir } from "node:fs/promises";
import { basename, join, sep } from "node:path";
import { lockDataDirectory } from "./data-directory-lock.ts";
import { loadLocationRecord } from "./location-record.ts";
import { clusterPath, removeTree } from "./place-cluster.ts";
import { findCluster } from "./stopped-cluster.ts";
import { stopCluster } from "./stop-cluster.ts";

/** What the service creates in a data directory. Other files in the folder are not removed. */
const OWN_NAMES =
  /^(postgres|postgres\.(json|lock(-journal)?|owner|log(\.1)?)|master\.key|credentials\.json|tls|mail)$/;
const LOCK_NAMES = /^postgres\.(lock(-journal)?|owner)$/;

/** Lists everything that belongs to the installation of a data directory, including a database in another place. */
export async function listInstallation(dataDir: string): Promise<readonly string[]> {
  const home = await findOutsideHome(dataDir);
  return [...(home === null ? [] : [home]), ...(await listOwn(dataDir))];
}

/** Returns the names of foreign files, which stay. Removes the folder itself when it is empty. */
export async function removeInstallation(dataDir: string): Promise<{ readonly left: readonly string[] }> {
  const lock = await lockDataDirectory({ folder: dataDir });
  try {
    const cluster = await findCluster(dataDir);
    if (cluster !== null) await stopCluster(cluster);
    const home = await findOutsideHome(dataDir);
    if (home !== null) await removeHome(home);
    for (const path of await listOwn(dataDir)) if (!LOCK_NAMES.test(basename(path))) await removeTree(path);
  } finally {
    lock.release();
  }
  for (const path of await listOwn(dataDir)) await removeTree(path);
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
  const lock = await lockDataDirectory({ folder: home });
  try {
    // The cluster first, so that an interrupted removal leaves nothing that looks complete.
    await removeTree(clusterPath(home));
  } finally {
    lock.release();
  }
  await removeTree(home);
}

async function listOwn(dataDir: string): Promise<readonly string[]> {
  const names = await readdir(dataDir);
  return names.filter((name) => OWN_NAMES.test(name)).map((name) => join(dataDir, name));
}
