import { existsSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { syncFolder } from "../../crypto/index.ts";
import type { Observer } from "../../observe/index.ts";
import { withClient } from "../connect-client.ts";
import { CopyError, copyServer } from "../copy/copy-server.ts";
import { selectDatabases } from "../copy/sql/select-cluster-statements.ts";
import { measureDisk } from "../storage.ts";
import { type DirectoryLock, lockDataDirectory } from "./data-directory-lock.ts";
import { EmbeddedError, explainFault } from "./embedded-error.ts";
import { initialiseCluster } from "./initialise-cluster.ts";
import { type BinaryPackage, locateBinaries, readBinaryPackage } from "./locate-binaries.ts";
import { type ClusterPlace, makeHome, preparePlace, removeTree } from "./place-cluster.ts";
import { provideBinaries } from "./provide-binaries.ts";
import { type EmbeddedServer, runCluster } from "./run-cluster.ts";
import { stopCluster } from "./stop-cluster.ts";
import { readClusterMajor } from "./stopped-cluster.ts";

interface UpgradeClusterOptions {
  readonly dataDir: string;
  /** The folder of the binary package that created the cluster. */
  readonly oldPackageDir: string;
  readonly superuserPassword: string;
  readonly observer: Observer;
  readonly signal: AbortSignal;
  onStep(line: string): void;
  onBytes(count: number): void;
}

const STOP_TIMEOUT_MS = 20_000;
const SPACE_FACTOR = 1.2;

/**
 * Both clusters run side by side during the copy. The new one gets its final name only when it is complete, stopped and on
 * disk, and the old one is kept. After an interruption, the next run starts again, or finishes the work.
 */
export async function upgradeCluster(
  o: UpgradeClusterOptions,
): Promise<{ readonly rows: number; readonly keptDir: string }> {
  const locks: DirectoryLock[] = [];
  try {
    const lock = async (folder: string): Promise<void> => {
      locks.push(await lockDataDirectory({ folder }));
    };
    await lock(o.dataDir);
    const place = await preparePlace(o.dataDir, lock);
    const oldPackage = await readBinaryPackage(o.oldPackageDir);
    const newPackage = await locateBinaries(process.platform, process.arch);
    const readyDir = join(place.home, `cluster-${newPackage.major}-ready`);
    const keptDir = join(place.home, `cluster-${oldPackage.major}-kept`);
    // Interrupted between the last two steps: the copy is complete, and only its name is missing.
    if (!existsSync(place.clusterDir) && existsSync(readyDir)) {
      await rename(readyDir, place.clusterDir);
      await syncFolder(place.home);
      return { rows: 0, keptDir };
    }
    await requireOld(place, oldPackage);
    if (existsSync(keptDir)) {
      throw new EmbeddedError(`${keptDir} exists already, from an earlier upgrade. Move it away first.`);
    }
    await removeTree(readyDir);
    const rows = await copyCluster(o, place, { oldPackage, newPackage, readyDir });
    await rename(place.clusterDir, keptDir);
    await rename(readyDir, place.clusterDir);
    await syncFolder(place.home);
    return { rows, keptDir };
  } catch (fault) {
    throw fault instanceof CopyError ? fault : explainFault(fault, o.dataDir);
  } finally {
    for (const lock of locks.reverse()) lock.release();
  }
}

async function requireOld({ clusterDir }: ClusterPlace, oldPackage: BinaryPackage): Promise<void> {
  const major = await readClusterMajor(clusterDir);
  if (major === oldPackage.major) return;
  throw new EmbeddedError(
    `The database in ${clusterDir} was created by PostgreSQL ${major ?? "?"}, and ${oldPackage.packageDir} holds ` +
      `PostgreSQL ${oldPackage.version}. Name the package of the same major version.`,
  );
}

interface CopyPlan {
  readonly oldPackage: BinaryPackage;
  readonly newPackage: BinaryPackage;
  readonly readyDir: string;
}

async function copyCluster(o: UpgradeClusterOptions, place: ClusterPlace, plan: CopyPlan): Promise<number> {
  const { home, account } = place;
  const newHome = join(home, "upgrade");
  const newDir = join(newHome, "cluster");
  // The remains of a killed run, whose PostgreSQL may still be ending.
  if (existsSync(newHome)) await stopCluster({ clusterDir: newDir, timeoutMs: STOP_TIMEOUT_MS });
  await removeTree(newHome);
  makeHome(newHome, account);
  const oldHome = join(newHome, "old");
  await mkdir(oldHome, { mode: 0o711 });
  try {
    // In a separate place: where binaries have to be copied, one version replaces the other.
    const oldBinaries = await provideBinaries({ binaryPackage: plan.oldPackage, home: oldHome, account });
    const newBinaries = await provideBinaries({ binaryPackage: plan.newPackage, home: newHome, account });
    await stopCluster({ clusterDir: place.clusterDir, pgCtl: oldBinaries.pgCtl, timeoutMs: STOP_TIMEOUT_MS });
    const { superuserPassword, observer } = o;
    const shared = { ...place, superuserPassword, observer, wantedPort: 0, releaseLocks() {} };
    o.onStep(`starting PostgreSQL ${plan.oldPackage.version}`);
    const from = await runCluster({ ...shared, binaries: oldBinaries });
    try {
      await requireSpace(from, home);
      o.onStep(`creating a database of PostgreSQL ${plan.newPackage.version}`);
      const { initdb } = newBinaries;
      await initialiseCluster({ home: newHome, clusterDir: newDir, initdb, account, superuserPassword });
      const own = { home: newHome, clusterDir: newDir, binaries: newBinaries, lockFolders: [newHome] };
      const to = await runCluster({ ...shared, ...own });
      try {
        const isSameMajor = plan.oldPackage.major === plan.newPackage.major;
        const { rows } = await copyServer({ ...o, fromUrl: from.adminUrl, toUrl: to.adminUrl, isSameMajor });
        await to.stop();
        await rename(newDir, plan.readyDir);
        await syncFolder(home);
        return rows;
      } finally {
        await to.stop();
      }
    } finally {
      await from.stop();
    }
  } finally {
    await removeTree(newHome);
  }
}

async function requireSpace(from: EmbeddedServer, home: string): Promise<void> {
  const databases = await withClient(from.adminUrl, selectDatabases);
  const neededBytes = databases.reduce((sum, { bytes }) => sum + bytes, 0) * SPACE_FACTOR;
  const { freeBytes } = await measureDisk(home);
  if (freeBytes >= neededBytes) return;
  throw new EmbeddedError(
    `The upgrade needs about ${Math.ceil(neededBytes / 1e6)} MB beside the database, and ${Math.floor(freeBytes / 1e6)} MB are free.`,
  );
}
