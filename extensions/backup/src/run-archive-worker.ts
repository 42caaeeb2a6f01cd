import type { ExtensionContext } from "swarmbase/extension";
import { openArchive, type Verification } from "./archive/archive.ts";
import { GAUGES, type GaugeName } from "./gauges.ts";
import { findStore, KEY_PURPOSE } from "./open-target.ts";
import { VERIFY_ARGUMENTS } from "./verify/verify-arguments.ts";
import { runArchiver } from "./run/run-archiver.ts";
import { type BackupRows, rulesOf, slotPrefixOf } from "./settings.ts";

/** Archives to the target of the settings; does nothing without one. */
export async function runArchiveWorker(signal: AbortSignal, context: ExtensionContext<BackupRows>): Promise<void> {
  const { settings, server, fetch, version } = context;
  const store = findStore({ settings, fetch, now: () => context.now() });
  if (store === null) return untilAborted(signal);
  const gauge = (name: GaugeName, value: number | null): void => context.setGauge(name, value);
  const clearGauges = (): void => {
    for (const { name } of GAUGES) context.setGauge(name, null);
  };
  let failures = 0;
  await server
    .removeAbandonedCopies(settings.BACKUP_VERIFY_DIR)
    .catch((error: unknown) => context.fail("a copy of an interrupted verification was not removed", error));
  const toSeconds = (time: Date): number => time.getTime() / 1_000;
  await runArchiver(
    {
      archive: openArchive(store, server.deriveKey(KEY_PURPOSE)),
      server,
      slotPrefix: slotPrefixOf(store.location),
      rules: rulesOf(settings),
      version,
      verify: (until) => context.runInBackground(VERIFY_ARGUMENTS, until),
      now: () => context.now(),
      // Another process sets them now; its alerts must not see what this one found before.
      onStandby: clearGauges,
      report: {
        note: (message, fields) => context.note(message, fields),
        fail: (message, error) => {
          failures += 1;
          gauge("swarmbase_backup_failures", failures);
          gauge("swarmbase_backup_failed_timestamp_seconds", toSeconds(context.now()));
          context.fail(message, error);
        },
        archived: (until) => gauge("swarmbase_backup_archived_timestamp_seconds", toSeconds(until)),
        based: ({ oldest, newest }) => {
          gauge("swarmbase_backup_restorable_timestamp_seconds", toSeconds(oldest));
          gauge("swarmbase_backup_base_timestamp_seconds", toSeconds(newest));
        },
        kept: (bytes) => gauge("swarmbase_backup_kept_bytes", bytes),
        verified: ({ last, lastVerified }) => {
          const timeOf = (one: Verification | null): number | null => one && toSeconds(new Date(one.at));
          gauge("swarmbase_backup_verified_timestamp_seconds", timeOf(lastVerified));
          gauge("swarmbase_backup_verification_timestamp_seconds", timeOf(last));
          gauge("swarmbase_backup_verification_success", last && Number(last.fault === null));
        },
      },
    },
    signal,
  );
  clearGauges();
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
