import { defineExtension } from "swarmbase/extension";
import { GAUGES } from "./gauges.ts";
import { requireConsistent, SETTINGS } from "./settings.ts";

/** Continuous backups. What a command or the worker needs is imported when it runs. */
export const extension = defineExtension({
  name: "backup",
  summary: "continuous backups: base backups and the write-ahead log, encrypted, in a folder or a bucket",
  docs: new URL("../README.md", import.meta.url),
  settings: SETTINGS,
  gauges: GAUGES,
  configure: (settings) => {
    requireConsistent(settings);
    return { trustedUrls: settings.BACKUP_S3_URL === null ? [] : [settings.BACKUP_S3_URL] };
  },
  workers: [
    {
      name: "backup",
      run: async (signal, context) => (await import("./run-archive-worker.ts")).runArchiveWorker(signal, context),
    },
  ],
  findProblems: async (context) => (await import("./find-problems.ts")).findProblems(context),
  commands: [
    {
      name: "backup",
      modeOptions: ["continuous"],
      summary: "archive base backups and the write-ahead log, continuously",
      help: `
Usage: swarmbase backup --continuous [--to <folder>]

Archives a copy of the database and then every change, encrypted with a key that is derived from the master key, until
it is ended. It works with the embedded database while the service runs, and with the one of DATABASE_URL. The service
does the same by itself when BACKUP_DIR or BACKUP_S3_URL is set. Keep the master key elsewhere: without it nothing can
be restored.

--to  the folder; default: BACKUP_DIR or BACKUP_S3_URL.`,
      run: async (context) => (await import("./commands/run-continuous-command.ts")).runContinuousCommand(context),
    },
    {
      name: "backup",
      modeOptions: ["verify"],
      summary: "restore the archive in a temporary database, and compare it",
      help: `
Usage: swarmbase backup --verify [--from <folder>] [--in <folder>]

Recovers the newest base backup of an archive in a temporary database, checks every table and index, and compares the
number and a checksum of the rows of every table with the running database, or with the figures of the archive when that
cannot be reached. Reads every object that a restore needs. Exits with 1 when something is damaged, missing or different.
Records the result in the archive, for doctor and the metrics of the service, which does the same every
BACKUP_VERIFY_INTERVAL_SECONDS.

--from  the folder of the archive; default: BACKUP_DIR or BACKUP_S3_URL.
--in    the folder for the temporary database; default: BACKUP_VERIFY_DIR, or beside DATA_DIR.`,
      run: async (context) => (await import("./commands/run-verify-command.ts")).runVerifyCommand(context),
    },
    {
      name: "restore",
      modeOptions: ["to-latest", "to-time", "from"],
      summary: "restore an archive to a point in time",
      help: `
Usage: swarmbase restore --to-latest | --to-time <time> [--from <folder>] [--to <folder>] [--replace]

Creates a data directory from an archive of "backup --continuous", with every commit until the time. MASTER_KEY, or the
master key in DATA_DIR, must be the one of that time. The result is marked as a copy, as after "restore <file>".

--to-latest  the last archived state. This is the default with --from.
--to-time    a time with its offset, such as 2026-11-17T09:30:00Z, by the clock of the database.
--from       the folder of the archive; default: BACKUP_DIR or BACKUP_S3_URL.
--to         the data directory to create; default: DATA_DIR. For an archive of your own server (DATABASE_URL), the data
             directory of PostgreSQL: start it with the same major version, which recovers it.
--replace    as for a file.`,
      run: async (context) => (await import("./commands/run-restore-command.ts")).runRestoreCommand(context),
    },
  ],
});
