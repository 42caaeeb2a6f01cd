import type { Tally } from "./load.ts";

export interface MemorySample {
  readonly atMs: number;
  readonly rssMb: number;
  /** Null while the figures of the process cannot be had. */
  readonly heapMb: number | null;
}

export interface Latency {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface Observed {
  readonly tallies: readonly Tally[];
  readonly before: Latency;
  /** Null when it never came back. */
  readonly recoveryMs: number | null;
  /** Under load, from its begin to its end. */
  readonly memory: readonly MemorySample[];
}

export interface Growth {
  readonly fromMb: number;
  readonly toMb: number;
  readonly mbPerMinute: number;
}

const MOST_RECOVERY_MS = 10_000;
/** The heap is filled before it is cleaned, so that the first third says nothing. */
const WARM_UP_SHARE = 1 / 3;
const GROWTH_SHARE = 0.1;
const GROWTH_MB = { rss: 32, heap: 16 };

/** The promises that were broken, in words. */
export function findBrokenPromises({ tallies, recoveryMs, memory }: Observed): string[] {
  const faults: string[] = [];
  for (const { name, unexpected, broken, byStatus } of tallies) {
    for (const [status, count] of unexpected) faults.push(`${name}: ${count} answers of status ${status}`);
    for (const [what, count] of broken) faults.push(`${name}: ${count} calls without an answer: ${what}`);
    if (byStatus.size === 0 && broken.size === 0) faults.push(`${name}: nothing was sent`);
  }
  const isRefused = tallies.some(({ byStatus }) => byStatus.has(503) || byStatus.has(429));
  if (!isRefused) faults.push("nobody was told to come back later: the load was not above capacity");
  if (recoveryMs === null || recoveryMs > MOST_RECOVERY_MS) {
    faults.push(`latency was not normal again within ${MOST_RECOVERY_MS / 1000} s`);
  }
  const growths = measureGrowth(memory);
  if (growths.rss === null) faults.push("memory was not measured often enough to say anything of it");
  for (const what of ["rss", "heap"] as const) {
    const { fromMb = 0, toMb = 0 } = growths[what] ?? {};
    if (toMb > fromMb * (1 + GROWTH_SHARE) + GROWTH_MB[what]) {
      faults.push(`${what} grew from ${fromMb.toFixed(0)} to ${toMb.toFixed(0)} MB under load that did not grow`);
    }
  }
  return faults;
}

/**
 * The first half after the warm-up against the second. Of the heap the lowest value counts, as what lies there uncollected is
 * not in use; the process gives back hardly anything, so of its size it is the middle one.
 */
export function measureGrowth(memory: readonly MemorySample[]): { rss: Growth | null; heap: Growth | null } {
  const warm = memory.slice(Math.floor(memory.length * WARM_UP_SHARE));
  const heap = warm.flatMap(({ atMs, heapMb }) => (heapMb === null ? [] : { atMs, mb: heapMb }));
  return {
    rss: compareHalves(
      warm.map(({ atMs, rssMb }) => ({ atMs, mb: rssMb })),
      (values) => percentile(values, 0.5),
    ),
    heap: compareHalves(heap, (values) => Math.min(...values)),
  };
}

interface Point {
  readonly atMs: number;
  readonly mb: number;
}

function compareHalves(points: readonly Point[], pick: (values: readonly number[]) => number): Growth | null {
  if (points.length < 4) return null;
  const middle = Math.floor(points.length / 2);
  const valuesOf = (part: readonly Point[]): number => pick(part.map(({ mb }) => mb));
  return {
    fromMb: valuesOf(points.slice(0, middle)),
    toMb: valuesOf(points.slice(middle)),
    mbPerMinute: slopeOf(points) * 60_000,
  };
}

/** Least squares. */
function slopeOf(points: readonly Point[]): number {
  const meanAt = points.reduce((sum, { atMs }) => sum + atMs, 0) / points.length;
  const meanMb = points.reduce((sum, { mb }) => sum + mb, 0) / points.length;
  const above = points.reduce((sum, { atMs, mb }) => sum + (atMs - meanAt) * (mb - meanMb), 0);
  const below = points.reduce((sum, { atMs }) => sum + (atMs - meanAt) ** 2, 0);
  return below === 0 ? 0 : above / below;
}

export function describeLatency(answeredMs: readonly number[]): Latency {
  return { p50Ms: percentile(answeredMs, 0.5), p99Ms: percentile(answeredMs, 0.99) };
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
