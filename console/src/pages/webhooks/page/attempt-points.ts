import type { CountedAttempts } from "../../../data/attempts.ts";

/** The values of the charts: one entry per time bucket, null without attempts. */
export interface AttemptPoints {
  /** Seconds since 1970. */
  readonly times: readonly number[];
  /** Shares from 0 to 1. */
  readonly delivered: readonly (number | null)[];
  readonly failed: readonly (number | null)[];
  readonly averageMs: readonly (number | null)[];
  readonly slowestMs: readonly (number | null)[];
}

export interface Buckets {
  /** An hour or a day. */
  readonly lengthMs: number;
  readonly count: number;
  readonly now: number;
}

interface Sum {
  delivered: number;
  failed: number;
  totalMs: number;
  timed: number;
  slowestMs: number;
}

/** Groups attempts into time buckets, the last of which contains the current time. */
export function buildAttemptPoints(attempts: readonly CountedAttempts[], buckets: Buckets): AttemptPoints {
  const { lengthMs, count, now } = buckets;
  const last = Math.floor(now / lengthMs);
  const first = last - count + 1;
  const sums = new Map<number, Sum>();
  for (const attempt of attempts) {
    const bucket = Math.floor(Date.parse(attempt.at) / lengthMs);
    if (bucket < first || bucket > last) continue;
    const sum = sums.get(bucket) ?? { delivered: 0, failed: 0, totalMs: 0, timed: 0, slowestMs: 0 };
    sum[attempt.isDelivered ? "delivered" : "failed"] += attempt.count;
    if (attempt.averageMs !== null) {
      sum.totalMs += attempt.averageMs * attempt.count;
      sum.timed += attempt.count;
      sum.slowestMs = Math.max(sum.slowestMs, attempt.slowestMs ?? 0);
    }
    sums.set(bucket, sum);
  }
  const bucketNumbers = Array.from({ length: count }, (_, index) => first + index);
  const column = (value: (sum: Sum) => number | null) =>
    bucketNumbers.map((bucket) => {
      const sum = sums.get(bucket);
      return sum === undefined ? null : value(sum);
    });
  return {
    times: bucketNumbers.map((bucket) => (bucket * lengthMs) / 1_000),
    delivered: column((sum) => sum.delivered / (sum.delivered + sum.failed)),
    failed: column((sum) => sum.failed / (sum.delivered + sum.failed)),
    averageMs: column((sum) => (sum.timed === 0 ? null : sum.totalMs / sum.timed)),
    slowestMs: column((sum) => (sum.timed === 0 ? null : sum.slowestMs)),
  };
}
