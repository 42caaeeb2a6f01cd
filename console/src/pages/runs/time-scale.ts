import type { Span } from "./lay-out-trace.ts";

export interface TimeScale {
  /** The share of the width that lies before a time, 0 to 1. */
  place(ms: number): number;
  /** The waits that are drawn shorter than they were. */
  readonly breaks: readonly { readonly at: number; readonly durationMs: number }[];
  /** Round times since the beginning. */
  readonly ticks: readonly { readonly at: number; readonly sinceMs: number }[];
  readonly fromMs: number;
  readonly untilMs: number;
}

/** A wait takes at most this share of the time in which something happened. */
const MAX_WAIT_SHARE = 0.25;
const MIN_SHORTENED_MS = 2_000;

/** Maps times to places. Without shortening, an approval that took an hour would hide everything else. */
export function createTimeScale(spans: readonly Span[]): TimeScale {
  const fromMs = Math.min(...spans.map((span) => span.fromMs));
  const untilMs = Math.max(...spans.map((span) => span.untilMs), fromMs + 1);
  const busy = joinIntervals(spans.filter(({ kind }) => kind === "model" || kind === "selection" || kind === "tool"));
  const busyMs = busy.reduce((sum, one) => sum + one.untilMs - one.fromMs, 0);
  const longestMs = Math.max(MIN_SHORTENED_MS, busyMs * MAX_WAIT_SHARE);
  const edges = [fromMs, ...busy.flatMap((one) => [one.fromMs, one.untilMs]), untilMs];
  // Pieces at even places are waits.
  const pieces = edges.slice(1).map((end, index) => {
    const start = edges[index] ?? fromMs;
    const lengthMs = Math.max(0, end - start);
    return { start, end, lengthMs, drawnMs: index % 2 === 0 ? Math.min(lengthMs, longestMs) : lengthMs };
  });
  const totalMs = Math.max(
    1,
    pieces.reduce((sum, { drawnMs }) => sum + drawnMs, 0),
  );
  const place = (ms: number): number => {
    let before = 0;
    for (const { start, end, lengthMs, drawnMs } of pieces) {
      if (ms < end || end === untilMs)
        return Math.min(1, (before + (lengthMs === 0 ? 0 : (Math.max(0, ms - start) / lengthMs) * drawnMs)) / totalMs);
      before += drawnMs;
    }
    return 1;
  };
  const shortened = pieces.filter(({ lengthMs, drawnMs }) => drawnMs < lengthMs);
  const breaks = shortened.map(({ start, end, lengthMs }) => ({ at: place((start + end) / 2), durationMs: lengthMs }));
  const stepMs = roundUp(totalMs / MAX_TICKS);
  // Not in waits, whose times would stand too close together.
  const times = pieces.flatMap(({ start, lengthMs, drawnMs }) => {
    const first = Math.ceil((start - fromMs) / stepMs);
    const count = drawnMs < lengthMs ? 0 : Math.ceil((start - fromMs + lengthMs) / stepMs) - first;
    return Array.from({ length: count }, (_, index) => (first + index) * stepMs);
  });
  const ticks = times
    .map((sinceMs) => ({ at: place(fromMs + sinceMs), sinceMs }))
    .filter(({ at }, index, all) => at < LAST_TICK && at - (all[index - 1]?.at ?? -1) > MIN_TICK_SHARE);
  return { place, breaks, ticks, fromMs, untilMs };
}

/** Further ones would not have room for their labels. */
const MAX_TICKS = 5;
const MIN_TICK_SHARE = 0.08;
const LAST_TICK = 0.92;

/** 1, 2 or 5 with zeros. */
function roundUp(ms: number): number {
  const power = 10 ** Math.floor(Math.log10(ms));
  return power * ([1, 2, 5].find((digit) => digit * power >= ms) ?? 10);
}

interface Interval {
  readonly fromMs: number;
  readonly untilMs: number;
}

function joinIntervals(intervals: readonly Interval[]): Interval[] {
  const joined: { fromMs: number; untilMs: number }[] = [];
  for (const { fromMs, untilMs } of intervals.toSorted((one, other) => one.fromMs - other.fromMs)) {
    const last = joined.at(-1);
    if (last !== undefined && fromMs <= last.untilMs) last.untilMs = Math.max(last.untilMs, untilMs);
    else joined.push({ fromMs, untilMs });
  }
  return joined;
}
