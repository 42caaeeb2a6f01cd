import type { MetricFamily } from "swarmbase/extension";
import type { OperatorContext } from "../operator-route.ts";

/** What operators see of a process beside its metrics. */
export interface ProcessState {
  readonly version: string;
  readonly started_at: string;
  readonly roles: readonly string[];
  /** One of several workers of its node. */
  readonly is_worker: boolean;
  readonly memory_bytes: number;
  /** Null means that this process does not archive. */
  readonly backup: BackupState | null;
}

/** By the gauges of the extension backup, which only the process that archives sets. */
export interface BackupState {
  /** The archive has every commit until then. */
  readonly archived_at: string | null;
  readonly base_at: string | null;
  /** The archive can be restored to any time from then until `archived_at`. */
  readonly restorable_from: string | null;
  readonly kept_bytes: number | null;
  /** Since the process has started. */
  readonly failures: number;
  readonly failed_at: string | null;
  /** The last verification that succeeded. */
  readonly verified_at: string | null;
  readonly verification: {
    /** The last one, whatever its result. */
    readonly at: string;
    readonly is_ok: boolean;
  } | null;
}

const MS_PER_SECOND = 1000;

export function describeProcess(
  { operations, version, now }: OperatorContext,
  families: readonly MetricFamily[],
): ProcessState {
  return {
    version,
    started_at: new Date(now().getTime() - process.uptime() * MS_PER_SECOND).toISOString(),
    roles: operations.roles,
    is_worker: operations.isWorkerProcess,
    memory_bytes: process.memoryUsage.rss(),
    backup: readBackup(families),
  };
}

function readBackup(families: readonly MetricFamily[]): BackupState | null {
  const read = (name: string): number | null =>
    families.find((family) => family.name === `swarmbase_backup_${name}`)?.values[0]?.value ?? null;
  const toTime = (seconds: number | null): string | null =>
    seconds === null ? null : new Date(seconds * MS_PER_SECOND).toISOString();
  const archived = read("archived_timestamp_seconds");
  const base = read("base_timestamp_seconds");
  const failures = read("failures");
  if (archived === null && base === null && failures === null) return null;
  const verifiedAt = toTime(read("verification_timestamp_seconds"));
  return {
    archived_at: toTime(archived),
    base_at: toTime(base),
    restorable_from: toTime(read("restorable_timestamp_seconds")),
    kept_bytes: read("kept_bytes"),
    failures: failures ?? 0,
    failed_at: toTime(read("failed_timestamp_seconds")),
    verified_at: toTime(read("verified_timestamp_seconds")),
    verification: verifiedAt === null ? null : { at: verifiedAt, is_ok: read("verification_success") === 1 },
  };
}
