import { readdir, readFile, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { docsPage } from "../../config/index.ts";
import type { Account } from "./choose-account.ts";
import { EmbeddedError, unlessMissing } from "./embedded-error.ts";
import { locationRecordPath } from "./location-record.ts";
import type { ClusterPlace } from "./place-cluster.ts";

/** Returns whether there is a cluster that can be started; false when one may be created. Throws for anything else. */
export async function checkCluster(place: ClusterPlace, neededMajor: number): Promise<boolean> {
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
