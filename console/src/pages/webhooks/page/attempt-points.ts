import type { CountedAttempts } from "../../../data/attempts.ts";

/** Columns of a chart: one entry for each stretch of time, null where nothing was sent. */
export interface AttemptPoints {
  /** Seconds since 1970. */
  readonly times: readonly number[];
  /** Shares of 1 that add up to it. */
  readonly delivered: readonly (number | null)[];
  readonly failed: readonly (number | null)[];
  readonly averageMs: readonly (number | null)[];
  readonly slowestMs: readonly (number | null)[];
}

export interface Stretches {
  /** How long each is: an hour, a day. */
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

/** Sorts attempts into stretches of time that end with the one that is running now. */
export function buildAttemptPoints(attempts: readonly CountedAttempts[], stretches: Stretches): AttemptPoints {
  const { lengthMs, count, now } = stretches;
  const last = Math.floor(now / lengthMs);
  const first = last - count + 1;
  const sums = new Map<number, Sum>();
  for (const attempt of attempts) {
    const place = Math.floor(Date.parse(attempt.at) / lengthMs);
    if (place < first || place > last) continue;
    const sum = sums.get(place) ?? { delivered: 0, failed: 0, totalMs: 0, timed: 0, slowestMs: 0 };
    sum[attempt.isDelivered ? "delivered" : "failed"] += attempt.count;
    if (attempt.averageMs !== null) {
      sum.totalMs += attempt.averageMs * attempt.count;
      sum.timed += attempt.count;
      sum.slowestMs = Math.max(sum.slowestMs, attempt.slowestMs ?? 0);
    }
    sums.set(place, sum);
  }
  const places = Array.from({ length: count }, (_, at) => first + at);
  const column = (value: (sum: Sum) => number | null) =>
    places.map((place) => {
      const sum = sums.get(place);
      return sum === undefined ? null : value(sum);
    });
  return {
    times: places.map((place) => (place * lengthMs) / 1_000),
    delivered: column((sum) => sum.delivered / (sum.delivered + sum.failed)),
    failed: column((sum) => sum.failed / (sum.delivered + sum.failed)),
    averageMs: column((sum) => (sum.timed === 0 ? null : sum.totalMs / sum.timed)),
    slowestMs: column((sum) => (sum.timed === 0 ? null : sum.slowestMs)),
  };
}
