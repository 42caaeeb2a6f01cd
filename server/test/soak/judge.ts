import { findMemoryGrowth, type MemoryOverTime } from "./judge-memory.ts";
import type { LoadCounts } from "./load.ts";

export interface Latency {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface Observed {
  readonly loads: readonly LoadCounts[];
  readonly before: Latency;
  /** Null when it never came back. */
  readonly recoveryMs: number | null;
  readonly memory: MemoryOverTime;
}

const MOST_RECOVERY_MS = 10_000;

/** The promises that were broken, in words. */
export function findBrokenPromises({ loads, recoveryMs, memory }: Observed): string[] {
  const faults: string[] = [];
  for (const { name, unexpected, broken, byStatus } of loads) {
    for (const [status, count] of unexpected) faults.push(`${name}: ${count} answers of status ${status}`);
    for (const [what, count] of broken) faults.push(`${name}: ${count} calls without an answer: ${what}`);
    if (byStatus.size === 0 && broken.size === 0) faults.push(`${name}: nothing was sent`);
  }
  const isRejected = loads.some(({ byStatus }) => byStatus.has(503) || byStatus.has(429));
  if (!isRejected) faults.push("nobody was told to come back later: the load was not above capacity");
  if (recoveryMs === null || recoveryMs > MOST_RECOVERY_MS) {
    faults.push(`latency was not normal again within ${MOST_RECOVERY_MS / 1000} s`);
  }
  return [...faults, ...findMemoryGrowth(memory)];
}

export function describeLatency(answeredMs: readonly number[]): Latency {
  return { p50Ms: percentile(answeredMs, 0.5), p99Ms: percentile(answeredMs, 0.99) };
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
