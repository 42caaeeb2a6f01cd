import { createHash } from "node:crypto";
import { type ExtensionContext, type ExtensionSettingRow, SettingsError } from "swarmbase/extension";
import type { ArchiverRules } from "./run/session-context.ts";

export const SETTINGS = [
  {
    name: "BACKUP_DIR",
    kind: "path",
    default: null,
    secret: false,
    description:
      "The folder to which the service archives base backups and the write-ahead log, continuously. Another disk than that of the database; with several nodes one that all of them reach. Unset, and without `BACKUP_S3_URL`: the service archives nothing.",
  },
  {
    name: "BACKUP_S3_URL",
    kind: "http-url",
    default: null,
    secret: false,
    description:
      "The same in a bucket of Amazon S3 or of a server with its interface: `https://<host>/<bucket>` or `https://<host>/<bucket>/<prefix>`, without a user name or a query.",
  },
  {
    name: "BACKUP_S3_REGION",
    kind: "host",
    default: "us-east-1",
    secret: false,
    description: "The region of the bucket, which is part of the signature of requests.",
  },
  {
    name: "BACKUP_S3_ACCESS_KEY_ID",
    kind: "key",
    minLength: 1,
    default: null,
    secret: true,
    description: "The access key for the bucket. It needs the rights to list, read, write and delete objects.",
  },
  {
    name: "BACKUP_S3_SECRET_ACCESS_KEY",
    kind: "key",
    minLength: 1,
    default: null,
    secret: true,
    description: "The secret of the access key.",
  },
  {
    name: "BACKUP_WAL_INTERVAL_SECONDS",
    kind: "integer",
    min: 1,
    max: 3_600,
    default: 5,
    secret: false,
    description:
      "How long a change may wait until it is in the archive: what is lost at most when the machine is lost with its disk. Each time with changes is one object.",
  },
  {
    name: "BACKUP_BASE_INTERVAL_SECONDS",
    kind: "integer",
    min: 3_600,
    max: 2_592_000,
    default: 86_400,
    secret: false,
    description: "The time between base backups. A recovery replays the write-ahead log since the last one.",
  },
  {
    name: "BACKUP_BASES_KEPT",
    kind: "integer",
    min: 1,
    max: 1_000,
    default: 7,
    secret: false,
    description: "How many base backups stay, with the write-ahead log since the oldest of them.",
  },
  {
    name: "BACKUP_WAL_LIMIT_BYTES",
    kind: "integer",
    min: 67_108_864,
    max: 1_000_000_000_000,
    default: 536_870_912,
    secret: false,
    description:
      "How much write-ahead log the database keeps for a target that does not accept it. Beyond that the archive has a gap until its next base backup. The embedded database keeps at most 1 GB.",
  },
  {
    name: "BACKUP_VERIFY_INTERVAL_SECONDS",
    kind: "integer",
    min: 0,
    max: 31_536_000,
    default: 0,
    secret: false,
    description:
      "The time between verifications: the process that archives recovers the newest base backup in a temporary database at low priority, and compares its tables, as `swarmbase backup --verify` does. 0: only the command verifies. 604800 is once a week. Needs disk space for a copy of the database and the write-ahead log since its base backup.",
  },
  {
    name: "BACKUP_VERIFY_DIR",
    kind: "path",
    default: null,
    secret: false,
    description:
      "The folder of this node in which verifications create their temporary database. Unset: the folder that contains `DATA_DIR`.",
  },
] as const satisfies readonly ExtensionSettingRow[];

export type BackupRows = typeof SETTINGS;
export type BackupSettings = ExtensionContext<BackupRows>["settings"];

/** Throws a `SettingsError` that lists the settings that contradict each other. */
export function requireConsistent(settings: BackupSettings): void {
  const url = settings.BACKUP_S3_URL;
  const keys = ["BACKUP_S3_ACCESS_KEY_ID", "BACKUP_S3_SECRET_ACCESS_KEY"] as const;
  const faults = [
    ...(url !== null && settings.BACKUP_DIR !== null ? ["BACKUP_DIR and BACKUP_S3_URL exclude each other"] : []),
    ...(url !== null && !/^\/[^/]+/.test(new URL(url).pathname)
      ? ["BACKUP_S3_URL must name a bucket in its path"]
      : []),
    // It is in messages and in the log.
    ...(url !== null && !isPlain(new URL(url))
      ? ["BACKUP_S3_URL must have no user name, query or fragment; the credentials are settings of their own"]
      : []),
    ...(url === null
      ? []
      : keys.filter((key) => settings[key] === null).map((key) => `${key} is required with BACKUP_S3_URL`)),
  ];
  if (faults.length > 0) throw new SettingsError(faults);
}

function isPlain({ username, password, search, hash }: URL): boolean {
  return username + password + search + hash === "";
}

export function rulesOf(settings: BackupSettings): ArchiverRules {
  return {
    delayMs: settings.BACKUP_WAL_INTERVAL_SECONDS * 1_000,
    baseEveryMs: settings.BACKUP_BASE_INTERVAL_SECONDS * 1_000,
    keep: settings.BACKUP_BASES_KEPT,
    maxKeptBytes: settings.BACKUP_WAL_LIMIT_BYTES,
    verifyEveryMs: settings.BACKUP_VERIFY_INTERVAL_SECONDS * 1_000,
  };
}

/** Slots of each target have a prefix of their own, so that a server can be archived to several. */
export function slotPrefixOf(location: string): string {
  return `swarmbase_backup_${createHash("sha256").update(location).digest("hex").slice(0, 12)}_`;
}
