import { createHash } from "node:crypto";
import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { chown, mkdir, rm } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { canReach } from "./can-reach.ts";
import { type Account, findClusterAccount } from "./choose-account.ts";
import { errorCode } from "../../crypto/index.ts";
import { EmbeddedError } from "./embedded-error.ts";
import { type LocationRecord, loadLocationRecord, locationRecordPath, storeLocationRecord } from "./location-record.ts";

/** The place of clusters, as root, when the unprivileged account cannot access the data directory. */
const SYSTEM_FOLDER = "/var/lib/swarmbase";

export interface ClusterPlace {
  readonly dataDir: string;
  /** The folder with the cluster, configuration and socket. */
  readonly home: string;
  readonly clusterDir: string;
  /** The account that owns the files; null means the current one. */
  readonly account: Account | null;
  readonly record: LocationRecord;
  readonly lockFolders: readonly string[];
}

export function clusterPath(home: string): string {
  return join(home, "cluster");
}

/** As root, the account of PostgreSQL may traverse the folder, but not list it. */
export function makeDataDirectory(dataDir: string): string {
  makeFolder(dataDir);
  return realpathSync(dataDir);
}

/** The place of a recorded cluster: the default place moves with its data directory. */
export function recordedHome(dataDir: string, record: LocationRecord): string {
  return isDefaultHome(record) ? defaultHome(dataDir) : record.home;
}

/** Decides once where the cluster of a data directory is; afterwards the record decides, even if permissions have changed. */
export async function preparePlace(dataDir: string, lock?: (folder: string) => Promise<void>): Promise<ClusterPlace> {
  const known = await loadLocationRecord(dataDir);
  const expected = await findClusterAccount(clusterPath(defaultHome(dataDir)));
  if (expected !== null && (known === null || isDefaultHome(known))) permitTraversal(dataDir, expected);
  const home = known === null ? chooseHome(dataDir, expected) : await findHome(dataDir, known);
  const account = await findClusterAccount(clusterPath(home));
  const { isInitialised = false, port = 0, temporarySocketDir = null } = known ?? {};
  const record = { home, dataDir, isInitialised, port, temporarySocketDir };
  // Before anything is created there, so that a start that is killed leaves nothing unrecorded.
  if (known === null || known.home !== home || known.dataDir !== dataDir) await storeLocationRecord(dataDir, record);
  makeHome(home, account);
  // A copied data directory has the same home, so the home has a lock too.
  const isElsewhere = !home.startsWith(dataDir + sep);
  if (isElsewhere) await lock?.(home);
  const lockFolders = isElsewhere ? [dataDir, home] : [dataDir];
  return { dataDir, home, clusterDir: clusterPath(realpathSync(home)), account, record, lockFolders };
}

/** Creates a data directory with an empty folder for the files of a cluster from elsewhere. */
export async function prepareCopy(wantedDir: string): Promise<ClusterPlace> {
  const place = await preparePlace(makeDataDirectory(wantedDir));
  const { dataDir, clusterDir, account, record } = place;
  await storeLocationRecord(dataDir, { ...record, isInitialised: true });
  await mkdir(clusterDir, { mode: 0o700 });
  if (account !== null) await chown(clusterDir, account.uid, account.gid);
  return place;
}

/** Removes a data directory with its cluster. Nothing may run on it. */
export async function removeCopy(dataDir: string): Promise<void> {
  const record = await loadLocationRecord(dataDir).catch(() => null);
  if (record?.dataDir === dataDir && record.home.startsWith(`${SYSTEM_FOLDER}/`)) await removeTree(record.home);
  await removeTree(dataDir);
}

export async function removeTree(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

export function makeHome(home: string, account: Account | null): void {
  if (home.startsWith(`${SYSTEM_FOLDER}/`)) {
    makeFolder(SYSTEM_FOLDER);
    requireSafe(SYSTEM_FOLDER, []);
  }
  makeFolder(home);
  requireSafe(realpathSync(home), account === null ? [] : [account.uid]);
  if (account !== null && !canReach(home, account)) {
    throw new EmbeddedError(
      `PostgreSQL runs as ${account.name} because the service runs as root, and ${account.name} cannot reach the ` +
        `database in ${home}. Let it through every folder on the way (chmod o+x), or start the service as another user.`,
    );
  }
}

function defaultHome(dataDir: string): string {
  return join(dataDir, "postgres");
}

function isDefaultHome({ home, dataDir }: LocationRecord): boolean {
  return home === defaultHome(dataDir);
}

/**
 * Permits the group of the account to traverse a data directory that only root can enter: so the database can stay in it,
 * and nobody else gains access.
 */
function permitTraversal(dataDir: string, account: Account): void {
  const { uid, mode } = statSync(dataDir);
  if (uid !== 0 || (mode & 0o077) !== 0 || !canReach(dirname(dataDir), account)) return;
  chownSync(dataDir, uid, account.gid);
  chmodSync(dataDir, (mode & 0o7777) | 0o010);
}

/** A cluster without a record belongs to a deleted data directory; it is not touched. */
function chooseHome(dataDir: string, account: Account | null): string {
  const inside = defaultHome(dataDir);
  if (existsSync(clusterPath(inside)) || account === null || canReach(inside, account)) return inside;
  const name = createHash("sha256").update(dataDir).digest("hex").slice(0, 16);
  for (let number = 1; ; number++) {
    const home = join(SYSTEM_FOLDER, number === 1 ? name : `${name}-${number}`);
    if (!existsSync(home)) return home;
  }
}

async function findHome(dataDir: string, record: LocationRecord): Promise<string> {
  const isOther = record.dataDir !== dataDir && !isDefaultHome(record);
  const original = isOther ? await loadLocationRecord(record.dataDir) : null;
  if (original?.home !== record.home) return recordedHome(dataDir, record);
  throw new EmbeddedError(
    `${dataDir} is a copy of ${record.dataDir}, whose database is in ${record.home}; two data directories cannot share ` +
      `one database. To begin with an empty database, remove ${locationRecordPath(dataDir)}.`,
  );
}

function requireSafe(folder: string, otherOwners: readonly number[]): void {
  if (process.getuid === undefined) return;
  const found = lstatSync(folder);
  const isOwned = [0, process.getuid(), ...otherOwners].includes(found.uid);
  if (found.isDirectory() && isOwned && (found.mode & 0o022) === 0) return;
  throw new EmbeddedError(
    `${folder} is not safe for a database: it must be a folder of this account that nobody else can write to.`,
  );
}

/** Creates one folder at a time: the recursive form of Node.js never returns when a file system rejects a folder with ENOENT. */
function makeFolder(folder: string): void {
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700;
  const parent = dirname(resolve(folder));
  if (parent !== resolve(folder) && !existsSync(parent)) makeFolder(parent);
  try {
    mkdirSync(folder, { mode });
  } catch (fault) {
    if (errorCode(fault) === "EEXIST" && statSync(folder).isDirectory()) return;
    throw fault;
  }
  // Set again, because a strict umask removes bits.
  chmodSync(folder, mode);
}
