import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "../../crypto/index.ts";
import { isRecord, readJson } from "../../json/index.ts";
import { EmbeddedError, unlessMissing } from "./embedded-error.ts";

/** `postgres.json`: where the cluster of a data directory is, so that later starts find the same one. */
export interface LocationRecord {
  /** The folder with the cluster, configuration and socket. */
  readonly home: string;
  /** The data directory of this record; a different one means that it was moved or copied. */
  readonly dataDir: string;
  readonly isInitialised: boolean;
  readonly port: number;
  /** Set when the path of a socket in `home` would be too long. */
  readonly temporarySocketDir: string | null;
}

export function locationRecordPath(dataDir: string): string {
  return join(dataDir, "postgres.json");
}

export async function loadLocationRecord(dataDir: string): Promise<LocationRecord | null> {
  const path = locationRecordPath(dataDir);
  const text = await unlessMissing(readFile(path, "utf8"));
  if (text === null) return null;
  const record = parseLocationRecord(text);
  if (record === null) {
    throw new EmbeddedError(`${path} is not valid. It records where the database is; restore it from a backup.`);
  }
  return record;
}

/** Whether this data directory has an embedded database, running or not. */
export async function hasEmbeddedCluster(dataDir: string): Promise<boolean> {
  return (await loadLocationRecord(dataDir))?.isInitialised === true;
}

export async function storeLocationRecord(dataDir: string, record: LocationRecord): Promise<void> {
  await replaceFile(locationRecordPath(dataDir), `${JSON.stringify(record, null, 2)}\n`, 0o600);
}

export function parseLocationRecord(text: string): LocationRecord | null {
  const reading = readJson(text);
  if (reading.fault !== null || !isRecord(reading.value)) return null;
  const { home, dataDir, isInitialised, port, temporarySocketDir } = reading.value;
  if (typeof home !== "string" || home === "") return null;
  return {
    home,
    dataDir: typeof dataDir === "string" ? dataDir : "",
    isInitialised: isInitialised === true,
    port: typeof port === "number" && Number.isInteger(port) ? port : 0,
    temporarySocketDir: typeof temporarySocketDir === "string" ? temporarySocketDir : null,
  };
}
