import { readdir, readFile, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { docsPage } from "../../config/index.ts";
import type { Observer } from "../../observe/index.ts";
import type { Account } from "./choose-account.ts";
import { type DirectoryLock, lockDataDirectory } from "./data-directory-lock.ts";
import { EmbeddedError, explainFault, unlessMissing } from "./embedded-error.ts";
import { initialiseCluster, removeUnfinishedClusters } from "./initialise-cluster.ts";
import { type BinaryPackage, locateBinaries } from "./locate-binaries.ts";
import { type LocationRecord, locationRecordPath, storeLocationRecord } from "./location-record.ts";
import { type ClusterPlace, makeDataDirectory, preparePlace } from "./place-cluster.ts";
import { type Binaries, provideBinaries } from "./provide-binaries.ts";
import { type EmbeddedServer, runCluster } from "./run-cluster.ts";
import { stopCluster } from "./stop-cluster.ts";

export type { EmbeddedServer } from "./run-cluster.ts";

export interface StartEmbeddedOptions {
  readonly dataDir: string;
  /** 0: the last port, or any free one. */
  readonly wantedPort: number;
  readonly superuserPassword: string;
  /** The server permits at least so many connections. */
  readonly neededConnections?: number;
  readonly observer: Observer;
  onProgress?(line: string): void;
  /** Called whenever a program of PostgreSQL has been started, and this process has nothing to do but wait for it. */
  onWaiting?(): void;
}

const ADVICE = "Stop that one first, or choose another folder with DATA_DIR.";

/** Resolves when PostgreSQL accepts connections. Rejects with an EmbeddedError, and then nothing runs or is half-created. */
export async function startEmbedded(o: StartEmbeddedOptions): Promise<EmbeddedServer> {
  const locks: DirectoryLock[] = [];
  const releaseLocks = (): void => {
    for (const lock of locks.splice(0).reverse()) lock.release();
  };
  try {
    const binaryPackage = await locateBinaries(process.platform, process.arch);
    const dataDir = makeDataDirectory(o.dataDir);
    const onWait = (): void => o.onProgress?.("waiting for the database of an earlier run to stop…");
    const lock = async (folder: string): Promise<void> => {
      locks.push(await lockDataDirectory({ folder, onWait }, ADVICE));
    };
    await lock(dataDir);
    const place = await preparePlace(dataDir, lock);
    const { binaries, record } = await prepareCluster(o, binaryPackage, place);
    return await runCluster({ ...o, ...place, binaries, record, dataDir, releaseLocks });
  } catch (fault) {
    releaseLocks();
    throw explainFault(fault, o.dataDir);
  }
}

async function prepareCluster(
  o: StartEmbeddedOptions,
  binaryPackage: BinaryPackage,
  place: ClusterPlace,
): Promise<{ binaries: Binaries; record: LocationRecord }> {
  const { dataDir, home, clusterDir, account, record } = place;
  const exists = await checkCluster(place, binaryPackage.major);
  const binaries = await provideBinaries({ binaryPackage, home, account });
  await removeUnfinishedClusters(home);
  const outcome = await stopCluster({ clusterDir, pgCtl: binaries.pgCtl });
  if (outcome !== "nothing") o.observer.note("embedded.leftover_stopped", { outcome });
  if (!exists) {
    o.onProgress?.("initialising the database (first start)…");
    const startedAt = performance.now();
    await initialiseCluster({ ...o, home, clusterDir, initdb: binaries.initdb, account });
    o.observer.note("embedded.initialised", { clusterDir, tookMs: Math.round(performance.now() - startedAt) });
  }
  const initialised = { ...record, isInitialised: true };
  if (!record.isInitialised) await storeLocationRecord(dataDir, initialised);
  return { binaries, record: initialised };
}

/** Returns whether there is a cluster that can be started; false when one may be created. Throws for anything else. */
async function checkCluster(place: ClusterPlace, neededMajor: number): Promise<boolean> {
  const { clusterDir, dataDir, account, record } = place;
  const names = await unlessMissing(readdir(clusterDir));
  if (names === null || names.length === 0) {
    if (record.isInitialised) {
      throw new EmbeddedError(
        `The database of ${dataDir} is missing: ${clusterDir} is empty. If an upgrade was interrupted, run "swarmbase upgrade" ` +
          `again; otherwise restore a backup; or, to begin with an empty database, remove ${locationRecordPath(dataDir)}.`,
      );
    }
    if (names !== null) await rmdir(clusterDir);
    return false;
  }
  await checkOwner(clusterDir, account);
  await checkVersion(clusterDir, neededMajor);
  return true;
}

async function checkVersion(clusterDir: string, neededMajor: number): Promise<void> {
  const found = (await unlessMissing(readFile(join(clusterDir, "PG_VERSION"), "utf8")))?.trim();
  if (found === undefined) {
    throw new EmbeddedError(`${clusterDir} is not empty, but it is not a PostgreSQL cluster either. Move it away.`);
  }
  if (found === String(neededMajor)) return;
  const isOlder = Number(found) < neededMajor;
  throw new EmbeddedError(
    `The database in ${clusterDir} was created by PostgreSQL ${found}, and this release of Swarmbase runs PostgreSQL ` +
      `${neededMajor}. Nothing was changed. ` +
      (isOlder
        ? `Upgrade it with: swarmbase upgrade --old-binaries <folder with the PostgreSQL ${found} package> (see ` +
          `${docsPage("guides/operating")}); or run PostgreSQL ${found} yourself and set DATABASE_URL.`
        : `Use the newer release of Swarmbase that created it.`),
  );
}

async function checkOwner(clusterDir: string, account: Account | null): Promise<void> {
  const ownUid = process.getuid?.();
  if (ownUid === undefined) return;
  const { uid } = await stat(clusterDir);
  if (uid === (account?.uid ?? ownUid)) return;
  throw new EmbeddedError(
    `The database in ${clusterDir} belongs to the account with the id ${uid}, and the service runs with the id ` +
      `${ownUid}. Start the service under the account that started it first (root, if that was root).`,
  );
}
