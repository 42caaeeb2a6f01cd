import { loadLocationRecord } from "./embedded/location-record.ts";

/** Whether this data directory already has a database of ours, running or not. */
export async function hasEmbeddedCluster(dataDir: string): Promise<boolean> {
  return (await loadLocationRecord(dataDir))?.isInitialised === true;
}
