import { existsSync } from "node:fs";
import { chown, mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Account, chooseAccount } from "./choose-account.ts";
import { loadLocationRecord, storeLocationRecord } from "./location-record.ts";
import {
  clusterPath,
  letAccountPass,
  makeDataDirectory,
  makeHome,
  placeCluster,
  SYSTEM_FOLDER,
} from "./place-cluster.ts";

export interface SettledCluster {
  readonly dataDir: string;
  readonly clusterDir: string;
  /** The account that must own the files; null means the current one. */
  readonly account: Account | null;
}

/** Creates a data directory for a cluster from elsewhere: creates and records the place, to which the files are copied later. */
export async function settleCluster(wantedDir: string): Promise<SettledCluster> {
  const dataDir = makeDataDirectory(wantedDir);
  const ownUid = process.getuid?.() ?? null;
  const passwd = ownUid === 0 ? await readFile("/etc/passwd", "utf8") : "";
  const account = chooseAccount({ ownUid, passwd, clusterOwner: null });
  letAccountPass(dataDir, account);
  const home = await placeCluster({ dataDir, account, record: null, systemFolder: SYSTEM_FOLDER });
  await storeLocationRecord(dataDir, { home, dataDir, isInitialised: true, port: 0, temporarySocketDir: null });
  makeHome(home, { account, systemFolder: SYSTEM_FOLDER });
  const clusterDir = clusterPath(home);
  await mkdir(clusterDir, { mode: 0o700 });
  if (account !== null) await chown(clusterDir, account.uid, account.gid);
  return { dataDir, clusterDir, account };
}

/** Removes a data directory with its cluster. Nothing may run on it. */
export async function removeSettledCluster(dataDir: string): Promise<void> {
  const record = existsSync(join(dataDir, "postgres.json"))
    ? await loadLocationRecord(dataDir).catch(() => null)
    : null;
  if (record !== null && record.dataDir === dataDir && record.home.startsWith(`${SYSTEM_FOLDER}/`)) {
    await rm(record.home, { recursive: true, force: true });
  }
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}
