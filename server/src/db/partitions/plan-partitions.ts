/** A partition by range of a UUIDv7. A bound is null where there is none. */
export interface Partition {
  readonly name: string;
  readonly lowerId: string | null;
  readonly upperId: string | null;
}

interface PartitionPlan {
  /** The bound at which the last partition is closed, so that the next one is made ahead; null when one is. */
  readonly closeAt: string | null;
  /** The partitions whose rows are all older than the retention. */
  readonly old: readonly Partition[];
}

/** A table has about this many partitions of rows that are kept, whatever the retention: each adds to the cost of a statement. */
const PERIODS_PER_RETENTION = 4;
const MIN_PERIOD_MS = 3_600_000;
/** PostgreSQL 18 ignores planner settings, such as those of the functions of the webhook queue, for a table with a single partition. */
const MIN_PARTITIONS = 2;

interface PlanOptions {
  readonly nowMs: number;
  /** 0 keeps all rows, and so one partition. */
  readonly retentionMs: number;
  /** A small table needs few partitions: deleting single rows costs less than what each partition adds to a statement. */
  readonly isLarge: boolean;
}

/** Decides what one table needs. */
export function planPartitions(
  partitions: readonly Partition[],
  { nowMs, retentionMs, isLarge }: PlanOptions,
): PartitionPlan {
  if (retentionMs === 0) return { closeAt: null, old: [] };
  const periodMs = Math.max(MIN_PERIOD_MS, Math.ceil(retentionMs / PERIODS_PER_RETENTION));
  const last = partitions.find(({ upperId }) => upperId === null);
  const oldestKeptMs = nowMs - retentionMs;
  const old = partitions.filter(({ upperId }) => upperId !== null && timeOf(upperId) <= oldestKeptMs);
  const isDivided = isLarge || partitions.length - old.length < MIN_PARTITIONS;
  return { closeAt: last === undefined || !isDivided ? null : decideBound(last, nowMs, periodMs), old };
}

/** The last partition begins at least one period in the future, so that rows reach it only if nothing closes it for that long. */
function decideBound({ lowerId }: Partition, nowMs: number, periodMs: number): string | null {
  const fromMs = lowerId === null ? null : timeOf(lowerId);
  if (fromMs !== null && fromMs > nowMs + periodMs) return null;
  if (fromMs !== null && fromMs > nowMs) return firstIdAt(fromMs + periodMs);
  return firstIdAt((Math.floor(nowMs / periodMs) + 2) * periodMs);
}

function timeOf(id: string): number {
  return Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);
}

function firstIdAt(ms: number): string {
  const hex = ms.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
