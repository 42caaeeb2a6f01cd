import type { ExtensionFinding } from "swarmbase/extension";
import type { Archive } from "./archive/archive.ts";
import type { BackupSettings } from "./settings.ts";

/** Of what the schedule says: a verification waits for base backups, and is begun again after an interruption. */
const OVERDUE_FACTOR = 2;

interface VerificationContext {
  readonly settings: BackupSettings;
  readonly signal: AbortSignal;
  now(): Date;
}

/** What the archive records about its verifications. */
export async function findVerificationProblems(
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
