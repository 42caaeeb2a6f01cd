import { isRecord, readJson } from "../../json/index.ts";
import { ArchiveError } from "./tar.ts";

/** The last entry of a backup: its description and the checksum of everything before. Without it a backup is incomplete. */
export interface BackupManifest {
  readonly format: typeof BACKUP_FORMAT;
  /** The release that created it. */
  readonly version: string;
  readonly createdAt: string;
  readonly postgresMajor: number;
  /** False when MASTER_KEY sets the key: without it the secrets in the backup cannot be decrypted. */
  readonly hasMasterKey: boolean;
  readonly files: Readonly<Record<string, BackedUpFile>>;
}

export interface BackedUpFile {
  readonly sizeBytes: number;
  readonly sha256: string;
}

export const BACKUP_FORMAT = 1;
export const MANIFEST_PATH = "manifest.json";
export const CLUSTER_FOLDER = "cluster";

export function parseManifest(text: string): BackupManifest {
  const reading = readJson(text);
  const manifest: Partial<BackupManifest> = reading.fault === null && isRecord(reading.value) ? reading.value : {};
  if (typeof manifest.format !== "number") throw new ArchiveError("the backup's manifest is not valid");
  const format: number = manifest.format;
  if (format !== BACKUP_FORMAT) {
    throw new ArchiveError(
      `the backup has the format ${format}, and this release of Swarmbase reads ${String(BACKUP_FORMAT)}; ` +
        `use the release that made it (${isPrintable(manifest.version) ? manifest.version : "unknown"})`,
    );
  }
  const isWhole =
    isPrintable(manifest.version) &&
    isPrintable(manifest.createdAt) &&
    typeof manifest.postgresMajor === "number" &&
    typeof manifest.hasMasterKey === "boolean" &&
    typeof manifest.files === "object" &&
    manifest.files !== null;
  if (!isWhole) throw new ArchiveError("the backup's manifest is incomplete");
  return manifest as BackupManifest;
}

/** Removes control characters: the text is printed on the terminal of an operator. */
function isPrintable(value: unknown): value is string {
  return typeof value === "string" && /^[\x20-\x7e]{1,64}$/.test(value);
}
