/** Set by the process that archives. */
export const GAUGES = [
  {
    name: "swarmbase_backup_archived_timestamp_seconds",
    help: "The time until which the backup archive includes every commit.",
  },
  { name: "swarmbase_backup_base_timestamp_seconds", help: "The time of the last base backup." },
  {
    name: "swarmbase_backup_restorable_timestamp_seconds",
    help: "The archive can be restored to any time from this one until swarmbase_backup_archived_timestamp_seconds.",
  },
  { name: "swarmbase_backup_kept_bytes", help: "WAL that the database keeps because it is not archived yet." },
  { name: "swarmbase_backup_failures", help: "Failures of the archiver since this process started." },
  { name: "swarmbase_backup_failed_timestamp_seconds", help: "The last of these failures." },
  {
    name: "swarmbase_backup_verified_timestamp_seconds",
    help: "The time of the last verification of the backup archive that succeeded.",
  },
  {
    name: "swarmbase_backup_verification_timestamp_seconds",
    help: "The time of the last verification of the backup archive, whatever its result.",
  },
  {
    name: "swarmbase_backup_verification_success",
    help: "1 if the last verification of the backup archive succeeded, 0 if it failed.",
  },
] as const;

export type GaugeName = (typeof GAUGES)[number]["name"];
