import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "../../crypto/index.ts";
import { EmbeddedError, errorCode } from "./embedded-error.ts";

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
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (fault) {
    if (errorCode(fault) === "ENOENT") return null;
    throw fault;
  }
  const record = parseLocationRecord(text);
  if (record === null) {
    throw new EmbeddedError(`${path} cannot be understood. It says where the database is; restore it from a backup.`);
  }
  return record;
}

export async function storeLocationRecord(dataDir: string, record: LocationRecord): Promise<void> {
  await replaceFile(locationRecordPath(dataDir), `${JSON.stringify(record, null, 2)}\n`, 0o600);
}

export function parseLocationRecord(text: string): LocationRecord | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null) return null;
  const row = value as Partial<Record<keyof LocationRecord, unknown>>;
  if (typeof row.home !== "string" || row.home === "") return null;
  return {
    home: row.home,
    dataDir: typeof row.dataDir === "string" ? row.dataDir : "",
    isInitialised: row.isInitialised === true,
    port: typeof row.port === "number" && Number.isInteger(row.port) ? row.port : 0,
    temporarySocketDir: typeof row.temporarySocketDir === "string" ? row.temporarySocketDir : null,
  };
}
