/** Set by the process that archives. */
export const GAUGES = [
  {
    name: "swarmbase_backup_archived_timestamp_seconds",
    help: "The time until which the backup archive includes every commit.",
  },
  { name: "swarmbase_backup_base_timestamp_seconds", help: "The time of the last base backup." },
  { name: "swarmbase_backup_kept_bytes", help: "WAL that the database keeps because it is not archived yet." },
  { name: "swarmbase_backup_failures", help: "Failures of the archiver since this process started." },
] as const;

export type GaugeName = (typeof GAUGES)[number]["name"];
