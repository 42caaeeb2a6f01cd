import type { ExtensionContext } from "swarmbase/extension";
import { openArchive } from "./archive/archive.ts";
import { GAUGES, type GaugeName } from "./gauges.ts";
import { findStore, KEY_PURPOSE } from "./open-target.ts";
import { runArchiver } from "./run/run-archiver.ts";
import { type BackupRows, rulesOf, slotPrefixOf } from "./settings.ts";

/** Archives to the target of the settings; does nothing without one. */
export async function runArchiveWorker(signal: AbortSignal, context: ExtensionContext<BackupRows>): Promise<void> {
  const { settings, server, fetch, version } = context;
  const store = findStore({ settings, fetch, now: () => context.now() });
  if (store === null) return untilAborted(signal);
  const gauge = (name: GaugeName, value: number): void => context.setGauge(name, value);
  let failures = 0;
  const toSeconds = (time: Date): number => time.getTime() / 1_000;
  await runArchiver(
    {
      archive: openArchive(store, server.deriveKey(KEY_PURPOSE)),
      server,
      slotPrefix: slotPrefixOf(store.location),
      rules: rulesOf(settings),
      version,
      now: () => context.now(),
      onStandby: () => {},
      report: {
        note: (message, fields) => context.note(message, fields),
        fail: (message, error) => {
          failures += 1;
          gauge("swarmbase_backup_failures", failures);
          context.fail(message, error);
        },
        archived: (until) => gauge("swarmbase_backup_archived_timestamp_seconds", toSeconds(until)),
        based: (at) => gauge("swarmbase_backup_base_timestamp_seconds", toSeconds(at)),
        kept: (bytes) => gauge("swarmbase_backup_kept_bytes", bytes),
      },
    },
    signal,
  );
  for (const { name } of GAUGES) context.setGauge(name, null);
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
