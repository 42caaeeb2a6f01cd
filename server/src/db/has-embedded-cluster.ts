import { loadLocationRecord } from "./embedded/location-record.ts";

/** Whether this data directory has an embedded database, running or not. */
export async function hasEmbeddedCluster(dataDir: string): Promise<boolean> {
  return (await loadLocationRecord(dataDir))?.isInitialised === true;
}
