import { readdir, readFile, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Account } from "./choose-account.ts";
import { EmbeddedError, errorCode } from "./embedded-error.ts";
import { locationRecordPath } from "./location-record.ts";

/** Returns whether there is a cluster that can be started; false when one may be created. Throws for anything else. */
export async function checkCluster(o: {
  readonly clusterDir: string;
  readonly dataDir: string;
  readonly neededMajor: number;
  readonly account: Account | null;
  readonly isInitialised: boolean;
}): Promise<boolean> {
  const { clusterDir } = o;
  const names = await listNames(clusterDir);
  if (names === null || names.length === 0) {
    if (o.isInitialised) throw missingCluster(clusterDir, o.dataDir);
    if (names !== null) await rmdir(clusterDir);
    return false;
  }
  await checkOwner(clusterDir, o.account);
  await checkVersion(clusterDir, o.neededMajor);
  return true;
}

async function checkVersion(clusterDir: string, neededMajor: number): Promise<void> {
  let found: string;
  try {
    found = (await readFile(join(clusterDir, "PG_VERSION"), "utf8")).trim();
  } catch (fault) {
    if (errorCode(fault) !== "ENOENT") throw fault;
    throw new EmbeddedError(`${clusterDir} is not empty, but it is not a PostgreSQL cluster either. Move it away.`);
  }
  if (found === String(neededMajor)) return;
  const isOlder = Number(found) < neededMajor;
  throw new EmbeddedError(
    `The database in ${clusterDir} was made by PostgreSQL ${found}, and this release of Swarmbase runs PostgreSQL ` +
      `${neededMajor}. Nothing was changed. ` +
      (isOlder
        ? `Bring it over with: swarmbase upgrade --old-binaries <folder with the PostgreSQL ${found} package> (see ` +
          `docs/guides/operating.md); or run PostgreSQL ${found} yourself and set DATABASE_URL.`
        : `Use the newer release of Swarmbase that made it.`),
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

async function listNames(folder: string): Promise<string[] | null> {
  try {
    return await readdir(folder);
  } catch (fault) {
    if (errorCode(fault) === "ENOENT") return null;
    throw fault;
  }
}

function missingCluster(clusterDir: string, dataDir: string): EmbeddedError {
  return new EmbeddedError(
    `The database of ${dataDir} should be in ${clusterDir}, and nothing is there. If an upgrade was cut off, run ` +
      `"swarmbase upgrade" again; else bring it back from a backup; or, to begin with an empty database, remove ${locationRecordPath(dataDir)}.`,
  );
}
