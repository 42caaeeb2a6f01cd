export interface LineBudget {
  /** Null: too many lines were written in this minute. Otherwise how many were left out since the last one. */
  take(): number | null;
}

const MOST_PER_MINUTE = 30;
const WINDOW_MS = 60_000;

/** Bounds the lines about faults that somebody outside can cause as often as they like. */
export function createLineBudget(nowMs: () => number = () => performance.now()): LineBudget {
  let startedMs = Number.NEGATIVE_INFINITY;
  let written = 0;
  let leftOut = 0;
  return {
    take() {
      if (nowMs() - startedMs >= WINDOW_MS) {
        startedMs = nowMs();
        written = 0;
      }
      if (written >= MOST_PER_MINUTE) {
        leftOut += 1;
        return null;
      }
      written += 1;
      const before = leftOut;
      leftOut = 0;
      return before;
    },
  };
}
