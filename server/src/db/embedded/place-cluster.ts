import { createHash } from "node:crypto";
import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { canReach } from "./can-reach.ts";
import type { Account } from "./choose-account.ts";
import { EmbeddedError, errorCode } from "./embedded-error.ts";
import { type LocationRecord, loadLocationRecord, locationRecordPath } from "./location-record.ts";
import { ownershipOf } from "./ownership-of.ts";

/** The place of clusters, as root, when the unprivileged account cannot access the data directory. */
export const SYSTEM_FOLDER = "/var/lib/swarmbase";

export function clusterPath(home: string): string {
  return join(home, "cluster");
}

/** As root, the account of PostgreSQL may traverse the folder, but not list it. */
export function makeDataDirectory(dataDir: string): string {
  makeFolder(dataDir);
  return realpathSync(dataDir);
}

/** The default place of the cluster. */
export function usualHome(dataDir: string): string {
  return join(dataDir, "postgres");
}

/**
 * Permits the group of the account to traverse a data directory that only root can enter: so the database can stay in it,
 * and nobody else gains access.
 */
export function letAccountPass(dataDir: string, account: Account | null): void {
  if (account === null) return;
  const found = statSync(dataDir);
  if (found.uid !== 0 || (found.mode & 0o077) !== 0) return;
  if (!canReach(dirname(dataDir), account, ownershipOf)) return;
  chownSync(dataDir, found.uid, account.gid);
  chmodSync(dataDir, (found.mode & 0o7777) | 0o010);
}

/**
 * Decides once where the cluster of a data directory is; afterwards the record decides, even if permissions have changed.
 * Creates nothing.
 */
export async function placeCluster(o: {
  readonly dataDir: string;
  readonly account: Account | null;
  readonly record: LocationRecord | null;
  readonly systemFolder: string;
}): Promise<string> {
  if (o.record !== null) {
    await refuseCopy(o.dataDir, o.record);
    // The default place moves with its data directory.
    return o.record.home === usualHome(o.record.dataDir) ? usualHome(o.dataDir) : o.record.home;
  }
  const inside = usualHome(o.dataDir);
  if (existsSync(clusterPath(inside)) || o.account === null) return inside;
  if (canReach(inside, o.account, ownershipOf)) return inside;
  return unusedSystemHome(o.systemFolder, o.dataDir);
}

export function makeHome(home: string, o: { readonly account: Account | null; readonly systemFolder: string }): void {
  if (home.startsWith(`${o.systemFolder}/`)) {
    makeFolder(o.systemFolder);
    requireSafe(o.systemFolder, []);
  }
  makeFolder(home);
  requireSafe(realpathSync(home), o.account === null ? [] : [o.account.uid]);
  if (o.account !== null && !canReach(home, o.account, ownershipOf)) {
    throw new EmbeddedError(
      `PostgreSQL runs as ${o.account.name} because the service runs as root, and ${o.account.name} cannot reach the ` +
        `database in ${home}. Let it through every folder on the way (chmod o+x), or start the service as another user.`,
    );
  }
}

/** A cluster without a record belongs to a deleted data directory; it is not touched. */
function unusedSystemHome(systemFolder: string, dataDir: string): string {
  const name = createHash("sha256").update(dataDir).digest("hex").slice(0, 16);
  for (let number = 1; ; number++) {
    const home = join(systemFolder, number === 1 ? name : `${name}-${number}`);
    if (!existsSync(home)) return home;
  }
}

async function refuseCopy(dataDir: string, record: LocationRecord): Promise<void> {
  if (record.dataDir === dataDir || record.home === usualHome(record.dataDir)) return;
  if (!existsSync(locationRecordPath(record.dataDir))) return;
  const original = await loadLocationRecord(record.dataDir);
  if (original?.home !== record.home) return;
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
