import type { ExtensionCommandContext, ExtensionFinding } from "swarmbase/extension";
import type { Archive } from "./archive/archive.ts";
import { compareHead } from "./archive/compare-head.ts";
import { planRestore } from "./archive/plan-restore.ts";
import { withArchive } from "./open-target.ts";
import type { BackupRows, BackupSettings } from "./settings.ts";

/** Of what the schedule says: a verification waits for base backups, and is begun again after an interruption. */
const OVERDUE_FACTOR = 2;

/** WAL may be late by its own delay, by a status that is written each minute, and by a restart of the service. */
const LATE_MS = 10 * 60 * 1_000;

type Context = ExtensionCommandContext<BackupRows>;

/** Whether the archive of the settings could be restored, how old its content is, and whether it was verified. */
export async function findProblems(context: Context): Promise<readonly ExtensionFinding[]> {
  const { settings } = context;
  if (settings.BACKUP_DIR === null && settings.BACKUP_S3_URL === null)
    return [{ level: "ok", what: "no target is set (BACKUP_DIR or BACKUP_S3_URL): nothing is archived" }];
  const read = (find: (archive: Archive) => Promise<ExtensionFinding>): Promise<ExtensionFinding> =>
    withArchive(context, undefined, find);
  return Promise.all([
    read((archive) => findAge(context, archive)).catch(
      (error: unknown): ExtensionFinding => ({
        level: "fault",
        what: `the archive could not be restored: ${describe(error)}`,
        why: "There is no backup to recover from.",
        advice:
          "Check the target and MASTER_KEY. The service begins a new archive if it cannot continue one; see its log.",
      }),
    ),
    read((archive) => findVerificationProblems(context, archive)).catch(
      (error: unknown): ExtensionFinding => ({
        level: "warning",
        what: `the record of verifications cannot be read: ${describe(error)}`,
        why: "Nobody knows whether the archive was verified.",
        advice: "Check the target and MASTER_KEY, and run swarmbase backup --verify, which replaces the record.",
      }),
    ),
  ]);
}

async function findAge({ settings, signal, now }: Context, archive: Archive): Promise<ExtensionFinding> {
  const { base, completeUntil } = await planRestore(archive, null, signal);
  const missing = await compareHead(archive, signal).then(() => null, describe);
  if (missing !== null)
    return {
      level: "fault",
      what: `the archive is not complete: ${missing}`,
      why: "Somebody or something has deleted its newest objects, and a restore would lack the last changes.",
      advice:
        "Find out who can delete objects there. Restart the service, which then begins a new chain with a base backup.",
    };
  const nowMs = now().getTime();
  const what =
    `${archive.location} is complete until ${completeUntil.toISOString()}, ` +
    `and its last base backup is of ${base.stoppedAt}`;
  const isLate = nowMs - completeUntil.getTime() > LATE_MS + settings.BACKUP_WAL_INTERVAL_SECONDS * 1_000;
  const isOld = nowMs - Date.parse(base.stoppedAt) > 2 * settings.BACKUP_BASE_INTERVAL_SECONDS * 1_000;
  if (!isLate && !isOld) return { level: "ok", what };
  return {
    level: "warning",
    what,
    why: isLate ? "Later changes would be lost with the machine." : "A recovery would replay more WAL than intended.",
    advice: "Start the service if it is stopped; otherwise see its log for extension.failed of backup.",
  };
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

interface VerificationContext {
  readonly settings: BackupSettings;
  readonly signal: AbortSignal;
  now(): Date;
}

/** What the archive records about its verifications. */
async function findVerificationProblems(
  { settings, signal, now }: VerificationContext,
  archive: Archive,
): Promise<ExtensionFinding> {
  const { last, lastVerified } = await archive.findVerifications(signal);
  const verified = lastVerified === null ? "it was never verified" : `it was verified last at ${lastVerified.at}`;
  if (last !== null && last.fault !== null)
    return {
      level: "fault",
      what: `the verification of the archive at ${last.at} failed (${last.fault}), and ${verified}`,
      why: "A restore may fail, or lack rows.",
      advice:
        "Remove the cause and run swarmbase backup --verify. The next base backup replaces damaged objects of the last one.",
    };
  if (last === null || lastVerified === null)
    return {
      level: "ok",
      what: "the archive was never verified: run swarmbase backup --verify, or set BACKUP_VERIFY_INTERVAL_SECONDS",
    };
  const everyMs = settings.BACKUP_VERIFY_INTERVAL_SECONDS * 1_000;
  const isOverdue = everyMs > 0 && now().getTime() - Date.parse(last.at) > OVERDUE_FACTOR * everyMs;
  const what = `the archive was verified at ${lastVerified.at}, to the position ${lastVerified.lsn}`;
  if (!isOverdue) return { level: "ok", what };
  return {
    level: "warning",
    what,
    why: `BACKUP_VERIFY_INTERVAL_SECONDS asks for a verification every ${settings.BACKUP_VERIFY_INTERVAL_SECONDS} seconds.`,
    advice: "See the log of the process that archives for extension.failed of backup.",
  };
}
