import { realpathSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { sep } from "node:path";
import type { Observer } from "../../observe/index.ts";
import { checkCluster } from "./check-cluster.ts";
import { type Account, chooseAccount } from "./choose-account.ts";
import { acquireDirectoryLock, type DirectoryLock, LockHeldError } from "./data-directory-lock.ts";
import { EmbeddedError, explainFault } from "./embedded-error.ts";
import { initialiseCluster, removeUnfinishedClusters } from "./initialise-cluster.ts";
import { type BinaryPackage, locateBinaries } from "./locate-binaries.ts";
import { type LocationRecord, loadLocationRecord, storeLocationRecord } from "./location-record.ts";
import {
  clusterPath,
  letAccountPass,
  makeDataDirectory,
  makeHome,
  placeCluster,
  SYSTEM_FOLDER,
  usualHome,
} from "./place-cluster.ts";
import { type Binaries, provideBinaries } from "./provide-binaries.ts";
import { type EmbeddedServer, runCluster } from "./run-cluster.ts";
import { stopCluster } from "./stop-cluster.ts";

export type { EmbeddedServer } from "./run-cluster.ts";

export interface StartEmbeddedOptions {
  readonly dataDir: string;
  /** 0: the last port, or any free one. */
  readonly wantedPort: number;
  readonly superuserPassword: string;
  readonly observer: Observer;
  onProgress?(line: string): void;
}

const LOCK_WAIT_MS = 30_000;
const LEFTOVER_PATIENCE = { fastMs: 10_000, immediateMs: 6_000 };

/** Resolves when PostgreSQL accepts connections. Rejects with an EmbeddedError, and then nothing runs or is half-created. */
export async function startEmbedded(o: StartEmbeddedOptions): Promise<EmbeddedServer> {
  const locks: DirectoryLock[] = [];
  const releaseLocks = (): void => {
    for (const lock of locks.splice(0).reverse()) lock.release();
  };
  try {
    const binaryPackage = await locateBinaries(process.platform, process.arch);
    const dataDir = makeDataDirectory(o.dataDir);
    const lock = async (folder: string): Promise<void> => {
      locks.push(await lockFolder(folder, o));
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

export interface Place {
  readonly dataDir: string;
  readonly home: string;
  readonly clusterDir: string;
  readonly account: Account | null;
  readonly record: LocationRecord;
  readonly lockFolders: readonly string[];
}

export async function preparePlace(dataDir: string, lock: (folder: string) => Promise<void>): Promise<Place> {
  const known = await loadLocationRecord(dataDir);
  const ownUid = process.getuid?.() ?? null;
  const passwd = ownUid === 0 ? await readFile("/etc/passwd", "utf8") : "";
  const choose = (clusterOwner: { uid: number; gid: number } | null): Account | null =>
    chooseAccount({ ownUid, passwd, clusterOwner });
  const expected = choose(await ownerOf(clusterPath(usualHome(dataDir))));
  if (known === null || known.home === usualHome(known.dataDir)) letAccountPass(dataDir, expected);
  const home = await placeCluster({ dataDir, account: expected, record: known, systemFolder: SYSTEM_FOLDER });
  const account = choose(await ownerOf(clusterPath(home)));
  const record: LocationRecord = {
    home,
    dataDir,
    isInitialised: known?.isInitialised ?? false,
    port: known?.port ?? 0,
    temporarySocketDir: known?.temporarySocketDir ?? null,
  };
  // Before anything is created there, so that a start that is killed leaves nothing unrecorded.
  if (known === null || known.home !== home || known.dataDir !== dataDir) await storeLocationRecord(dataDir, record);
  makeHome(home, { account, systemFolder: SYSTEM_FOLDER });
  // A copied data directory has the same home, so the home has a lock too.
  const isElsewhere = !home.startsWith(dataDir + sep);
  if (isElsewhere) await lock(home);
  const lockFolders = isElsewhere ? [dataDir, home] : [dataDir];
  return { dataDir, home, clusterDir: clusterPath(realpathSync(home)), account, record, lockFolders };
}

async function prepareCluster(
  o: StartEmbeddedOptions,
  binaryPackage: BinaryPackage,
  place: Place,
): Promise<{ binaries: Binaries; record: LocationRecord }> {
  const { dataDir, home, clusterDir, account, record } = place;
  const exists = await checkCluster({
    clusterDir,
    dataDir,
    neededMajor: binaryPackage.major,
    account,
    isInitialised: record.isInitialised,
  });
  const binaries = await provideBinaries({ binaryPackage, home, account });
  await removeUnfinishedClusters(home);
  const outcome = await stopCluster({ clusterDir, pgCtl: binaries.pgCtl, patience: LEFTOVER_PATIENCE });
  if (outcome !== "nothing") o.observer.note("embedded.leftover_stopped", { outcome });
  if (!exists) {
    o.onProgress?.("initialising the database (first start)…");
    const startedAt = performance.now();
    const { superuserPassword } = o;
    await initialiseCluster({ home, clusterDir, initdb: binaries.initdb, account, superuserPassword });
    o.observer.note("embedded.initialised", { clusterDir, tookMs: Math.round(performance.now() - startedAt) });
  }
  if (record.isInitialised) return { binaries, record };
  const initialised = { ...record, isInitialised: true };
  await storeLocationRecord(dataDir, initialised);
  return { binaries, record: initialised };
}

async function lockFolder(folder: string, o: StartEmbeddedOptions): Promise<DirectoryLock> {
  try {
    return await acquireDirectoryLock({
      folder,
      role: "service",
      waitMs: LOCK_WAIT_MS,
      onWait: () => o.onProgress?.("waiting for the database of an earlier run to stop…"),
    });
  } catch (fault) {
    if (!(fault instanceof LockHeldError)) throw fault;
    const owner = fault.ownerPid === null ? "another process" : `process ${fault.ownerPid}`;
    throw new EmbeddedError(
      `Swarmbase is already running on the data directory ${folder} (${owner}). Stop that one first, or choose another ` +
        "folder with DATA_DIR.",
      { cause: fault },
    );
  }
}

async function ownerOf(path: string): Promise<{ uid: number; gid: number } | null> {
  try {
    const { uid, gid } = await stat(path);
    return { uid, gid };
  } catch {
    return null;
  }
}
