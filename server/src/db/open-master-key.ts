import type { Settings } from "../config/index.ts";
import { loadMasterKey, prepareSecretDir } from "../crypto/index.ts";
import { hasEmbeddedCluster } from "./embedded/location-record.ts";

/** The key that wraps all other secrets. With an embedded database it is created and stored beside it. */
export async function openMasterKey(settings: Settings): Promise<string> {
  const { dataDir, databaseUrl, masterKey: given } = settings;
  await prepareSecretDir(dataDir, { mayPassThrough: databaseUrl === null });
  if (databaseUrl === null) return loadMasterKey({ dataDir, given, mayCreate: !(await hasEmbeddedCluster(dataDir)) });
  if (given === null) throw new Error("MASTER_KEY is required with DATABASE_URL");
  return given;
}
