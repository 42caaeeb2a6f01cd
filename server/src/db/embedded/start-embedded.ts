import type { Observer } from "../../observe/index.ts";
import { checkCluster } from "./check-cluster.ts";
import { type DirectoryLock, lockDataDirectory } from "./data-directory-lock.ts";
import { explainFault } from "./embedded-error.ts";
import { initialiseCluster, removeUnfinishedClusters } from "./initialise-cluster.ts";
import { type BinaryPackage, locateBinaries } from "./locate-binaries.ts";
import { type LocationRecord, storeLocationRecord } from "./location-record.ts";
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
