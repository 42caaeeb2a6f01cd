import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { acquireDirectoryLock, type DirectoryLock, LockHeldError } from "./data-directory-lock.ts";
import { EmbeddedError } from "./embedded-error.ts";
import { loadLocationRecord } from "./location-record.ts";
import { type ClusterPlace, clusterPath, recordedHome } from "./place-cluster.ts";
import { stopCluster } from "./stop-cluster.ts";

type ClusterLocation = Pick<ClusterPlace, "home" | "clusterDir">;

/** Finds the cluster of a data directory, running or not; null when there is none. */
export async function findCluster(dataDir: string): Promise<ClusterLocation | null> {
  const record = await loadLocationRecord(dataDir);
  if (record === null) return null;
  const home = recordedHome(dataDir, record);
  const clusterDir = clusterPath(home);
  return existsSync(clusterDir) ? { home, clusterDir } : null;
}

/** The major version of PostgreSQL that created the files. */
export async function readClusterMajor(clusterDir: string): Promise<number | null> {
  const text = await readFile(join(clusterDir, "PG_VERSION"), "utf8").catch(() => "");
  const major = Number.parseInt(text, 10);
  return Number.isInteger(major) ? major : null;
}

/** The last port of the cluster, whether or not it still listens there. */
export async function findLastPort(dataDir: string): Promise<number | null> {
  const port = (await loadLocationRecord(dataDir))?.port ?? 0;
  return port === 0 ? null : port;
}

/** Runs `work` while the cluster is stopped and cannot be started. Resolves with null when a service uses it. */
export async function withStoppedCluster<T>(
  dataDir: string,
  work: (cluster: ClusterLocation) => Promise<T>,
): Promise<{ readonly result: T } | null> {
  const locks: DirectoryLock[] = [];
  try {
    locks.push(await acquireDirectoryLock({ folder: dataDir }));
    const cluster = await findCluster(dataDir);
    if (cluster === null) throw new EmbeddedError(`There is no database in ${dataDir}.`);
    if (!cluster.home.startsWith(dataDir)) {
      locks.push(await acquireDirectoryLock({ folder: cluster.home }));
    }
    await stopCluster(cluster);
    return { result: await work(cluster) };
  } catch (fault) {
    if (fault instanceof LockHeldError) return null;
    throw fault;
  } finally {
    for (const lock of locks.reverse()) lock.release();
  }
}
