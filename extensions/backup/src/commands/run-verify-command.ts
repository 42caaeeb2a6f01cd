import { type ExtensionCommandContext, parseOptions } from "swarmbase/extension";
import type { Archive } from "../archive/archive.ts";
import { withArchive } from "../open-target.ts";
import { OtherKeyError } from "../sealed/seal.ts";
import type { BackupRows } from "../settings.ts";
import { type VerifiedSubject, verifyArchive } from "../verify/verify-archive.ts";

const MAX_FAULT_CHARACTERS = 1_000;

type Context = ExtensionCommandContext<BackupRows>;

/** Verifies an archive, and records the result in it. */
export async function runVerifyCommand(context: Context): Promise<number> {
  const { values } = parseOptions(context.args, {
    verify: { type: "boolean" },
    from: { type: "string" },
    in: { type: "string" },
  });
  const { settings, signal } = context;
  return withArchive(context, values.from, async (archive) => {
    const startedAt = context.now();
    const subject: VerifiedSubject = { chain: null, base: null, lsn: null };
    const record = (fault: string | null): Promise<void> =>
      recordResult(context, archive, { startedAt, subject, fault });
    try {
      const folder = values.in ?? settings.BACKUP_VERIFY_DIR;
      const differences = await verifyArchive(context, { archive, folder, subject });
      await record(differences.length === 0 ? null : differences.join("\n"));
      return differences.length === 0 ? 0 : 1;
    } catch (error) {
      signal.throwIfAborted();
      // With another key, it would replace the record by one that the service cannot read.
      if (!(error instanceof OtherKeyError)) await record(error instanceof Error ? error.message : String(error));
      throw error;
    }
  });
}

/** The archive may be readable only, for example on another machine. */
async function recordResult(
  { now, stderr, signal }: Context,
  archive: Archive,
  result: { readonly startedAt: Date; readonly subject: VerifiedSubject; readonly fault: string | null },
): Promise<void> {
  const { startedAt, subject, fault } = result;
  const seconds = Math.round((now().getTime() - startedAt.getTime()) / 1_000);
  const at = startedAt.toISOString();
  const verification = { at, seconds, ...subject, fault: fault === null ? null : fault.slice(0, MAX_FAULT_CHARACTERS) };
  await archive.putVerification(verification, signal).catch((error: unknown) => {
    stderr.write(`The result was not recorded: ${error instanceof Error ? error.message : String(error)}\n`);
  });
}
