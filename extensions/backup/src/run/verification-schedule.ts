import type { Verification, Verifications } from "../archive/archive.ts";
import { SealError } from "../sealed/seal.ts";
import type { ArchiverOptions } from "./session-context.ts";

/** The command and other machines verify too, so the archive is read again after this time. */
const READ_EVERY_MS = 10 * 60 * 1_000;
/** A failure may be temporary, and a verification of a large database takes long. */
const RETRY_MS = 24 * 60 * 60 * 1_000;
/** A verification that does not end must not keep base backups from being made. */
const LONGEST_MS = 12 * 60 * 60 * 1_000;
const QUOTED_CHARACTERS = 1_000;
const NONE: Verifications = { last: null, lastVerified: null };

interface VerificationSchedule {
  /** Rejects only when the signal aborts. */
  runIfDue(signal: AbortSignal): Promise<void>;
}

/** Verifies the archive when the last verification is old. A verification that was interrupted is begun again by the next process. */
export function openVerificationSchedule(
  options: Pick<ArchiverOptions, "archive" | "rules" | "report" | "verify" | "now">,
): VerificationSchedule {
  const { archive, rules, report, now } = options;
  let readAtMs = Number.NEGATIVE_INFINITY;
  // Also when the archive accepts no record.
  let own: Verification | null = null;

  /** Returns null when the target cannot be read now. A record that was changed counts as none, so that the next one replaces it. */
  const read = async (signal: AbortSignal): Promise<Verifications | null> => {
    try {
      return await archive.findVerifications(signal);
    } catch (error) {
      signal.throwIfAborted();
      report.fail("the record of verifications cannot be read", error);
      return error instanceof SealError ? NONE : null;
    }
  };

  const verify = async (signal: AbortSignal): Promise<void> => {
    const startedAt = now();
    const fault = await findFault(options, signal);
    const found = (await read(signal)) ?? NONE;
    const isRecorded = found.last !== null && Date.parse(found.last.at) >= startedAt.getTime();
    const seconds = Math.round((now().getTime() - startedAt.getTime()) / 1_000);
    const described = { at: startedAt.toISOString(), seconds, chain: null, base: null, lsn: null, fault };
    own = isRecorded && found.last !== null ? found.last : described;
    if (own.fault === null) report.note("verified the archive", { base: own.base, lsn: own.lsn, seconds });
    else report.fail("the verification of the archive failed", new Error(own.fault));
    report.verified({ last: own, lastVerified: own.fault === null ? own : found.lastVerified });
    // The command records what it finds, unless it was killed or has not begun.
    if (isRecorded) return;
    await archive.putVerification(own, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      report.fail("a verification was not recorded", error);
    });
  };

  return {
    async runIfDue(signal) {
      if (Math.abs(now().getTime() - readAtMs) < READ_EVERY_MS) return;
      readAtMs = now().getTime();
      const found = await read(signal);
      if (found === null) return;
      report.verified(found);
      if (rules.verifyEveryMs === 0) return;
      if ([found.last, own].every((last) => isDue(last, rules.verifyEveryMs, now()))) await verify(signal);
    },
  };
}

/** Whether so much time has passed in either direction: a clock that was ahead must not postpone the next one for long. */
function isDue(last: Verification | null, everyMs: number, now: Date): boolean {
  if (last === null) return true;
  const waitMs = last.fault === null ? everyMs : Math.min(everyMs, RETRY_MS);
  return Math.abs(now.getTime() - Date.parse(last.at)) >= waitMs;
}

/** Runs the verification; null when it succeeds. */
async function findFault({ verify }: Pick<ArchiverOptions, "verify">, signal: AbortSignal): Promise<string | null> {
  const limit = AbortSignal.timeout(LONGEST_MS);
  try {
    const { code, output } = await verify(AbortSignal.any([signal, limit]));
    signal.throwIfAborted();
    if (code === 0) return null;
    if (limit.aborted) return "it took longer than 12 hours";
    return output.trim().slice(-QUOTED_CHARACTERS) || "it was killed";
  } catch (error) {
    signal.throwIfAborted();
    return error instanceof Error ? error.message : String(error);
  }
}
