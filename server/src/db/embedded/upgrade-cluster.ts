import { existsSync } from "node:fs";
import { mkdir, rename, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { syncFolder } from "../../crypto/index.ts";
import type { Observer } from "../../observe/index.ts";
import { connectClient } from "../connect-client.ts";
import { CopyError, copyServer } from "../copy/copy-server.ts";
import { selectDatabases } from "../copy/sql/select-cluster-statements.ts";
import { acquireDirectoryLock, type DirectoryLock, LockHeldError } from "./data-directory-lock.ts";
import { EmbeddedError, explainFault } from "./embedded-error.ts";
import { initialiseCluster } from "./initialise-cluster.ts";
import { type BinaryPackage, locateBinaries, readBinaryPackage } from "./locate-binaries.ts";
import { makeHome, SYSTEM_FOLDER } from "./place-cluster.ts";
import { provideBinaries } from "./provide-binaries.ts";
import { readClusterMajor } from "./resting-cluster.ts";
import { type EmbeddedServer, runCluster } from "./run-cluster.ts";
import { type Place, preparePlace } from "./start-embedded.ts";
import { stopCluster } from "./stop-cluster.ts";

export interface UpgradeClusterOptions {
  readonly dataDir: string;
  /** The folder of the binary package that created the cluster. */
  readonly oldPackageDir: string;
  readonly superuserPassword: string;
  readonly observer: Observer;
  readonly signal: AbortSignal;
  onStep(line: string): void;
  onBytes(count: number): void;
}

export interface UpgradedCluster {
  readonly rows: number;
  /** The new place of the old cluster. */
  readonly keptDir: string;
}

const LOCK_WAIT_MS = 30_000;
const PATIENCE = { fastMs: 20_000, immediateMs: 6_000 };
const SPACE_FACTOR = 1.2;

/**
 * Both clusters run side by side during the copy. The new one gets its final name only when it is complete, stopped and on
 * disk, and the old one is kept. After an interruption, the next run starts again, or finishes the work.
 */
export async function upgradeCluster(o: UpgradeClusterOptions): Promise<UpgradedCluster> {
  const locks: DirectoryLock[] = [];
  try {
    const lock = async (folder: string): Promise<void> => {
      locks.push(await acquireDirectoryLock({ folder, role: "service", waitMs: LOCK_WAIT_MS }));
    };
    await lock(o.dataDir);
    const place = await preparePlace(o.dataDir, lock);
    const [oldPackage, newPackage] = [
      await readBinaryPackage(o.oldPackageDir),
      await locateBinaries(process.platform, process.arch),
    ];
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
      throw new EmbeddedError(`${keptDir} is there from an earlier upgrade. Move it away first.`);
    }
    await rm(readyDir, { recursive: true, force: true });
    const rows = await copyCluster(o, place, { oldPackage, newPackage, readyDir });
    await rename(place.clusterDir, keptDir);
    await rename(readyDir, place.clusterDir);
    await syncFolder(place.home);
    return { rows, keptDir };
  } catch (fault) {
    if (fault instanceof LockHeldError) {
      throw new EmbeddedError(`Swarmbase is running on ${o.dataDir}. Stop it first; nothing was changed.`, {
        cause: fault,
      });
    }
    throw fault instanceof CopyError ? fault : explainFault(fault, o.dataDir);
  } finally {
    for (const lock of locks.reverse()) lock.release();
  }
}

async function requireOld({ clusterDir }: Place, oldPackage: BinaryPackage): Promise<void> {
  const major = await readClusterMajor(clusterDir);
  if (major === oldPackage.major) return;
  throw new EmbeddedError(
    `The database in ${clusterDir} was made by PostgreSQL ${major ?? "?"}, and ${oldPackage.packageDir} holds ` +
      `PostgreSQL ${oldPackage.version}. Give the package of the same major version.`,
  );
}

interface CopyPlan {
  readonly oldPackage: BinaryPackage;
  readonly newPackage: BinaryPackage;
  readonly readyDir: string;
}

async function copyCluster(o: UpgradeClusterOptions, place: Place, plan: CopyPlan): Promise<number> {
  const { home, account } = place;
  const workshop = join(home, "upgrade");
  const newDir = join(workshop, "cluster");
  await clearWorkshop(workshop);
  makeHome(workshop, { account, systemFolder: SYSTEM_FOLDER });
  const oldHome = join(workshop, "old");
  await mkdir(oldHome, { mode: 0o711 });
  try {
    // In a separate place: where binaries have to be copied, one version replaces the other.
    const oldBinaries = await provideBinaries({ binaryPackage: plan.oldPackage, home: oldHome, account });
    const newBinaries = await provideBinaries({ binaryPackage: plan.newPackage, home: workshop, account });
    await stopCluster({ clusterDir: place.clusterDir, pgCtl: oldBinaries.pgCtl, patience: PATIENCE });
    const { superuserPassword, observer } = o;
    const shared = { ...place, superuserPassword, observer, wantedPort: 0, releaseLocks() {} };
    o.onStep(`starting PostgreSQL ${plan.oldPackage.version}`);
    const from = await runCluster({ ...shared, binaries: oldBinaries });
    try {
      await requireSpace(from, home);
      o.onStep(`making a database of PostgreSQL ${plan.newPackage.version}`);
      const { initdb } = newBinaries;
      await initialiseCluster({ home: workshop, clusterDir: newDir, initdb, account, superuserPassword });
      const lockFolders = [workshop];
      const to = await runCluster({
        ...shared,
        home: workshop,
        clusterDir: newDir,
        binaries: newBinaries,
        lockFolders,
      });
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
    await rm(workshop, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
}

/** Removes the remains of a killed run, whose PostgreSQL may still be ending. */
async function clearWorkshop(workshop: string): Promise<void> {
  if (!existsSync(workshop)) return;
  await stopCluster({ clusterDir: join(workshop, "cluster"), pgCtl: "pg_ctl", patience: PATIENCE });
  await rm(workshop, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

async function requireSpace(from: EmbeddedServer, home: string): Promise<void> {
  const client = await connectClient(from.adminUrl);
  try {
    const needed = (await selectDatabases(client)).reduce((sum, { bytes }) => sum + bytes, 0) * SPACE_FACTOR;
    const { bavail, bsize } = await statfs(home);
    if (bavail * bsize >= needed) return;
    throw new EmbeddedError(
      `The upgrade needs about ${Math.ceil(needed / 1e6)} MB beside the database, and ${Math.floor((bavail * bsize) / 1e6)} MB are free.`,
    );
  } finally {
    await client.end();
  }
}
