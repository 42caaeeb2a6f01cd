/** Counts the streams that are read, because the pause between two reads grows with their number. */
export interface StreamPace {
  /** Counts one more stream until the returned function is called. */
  enter(): () => void;
  /** How long to wait after a read before the next one. */
  pauseMs(): number;
}

const MAX_STREAMS_WITHOUT_PAUSE = 50;
const PAUSE_MS_PER_STREAM = 0.4;
const MAX_PAUSE_MS = 200;

/** Each read or write costs the same, whatever its size, so many streams get larger and fewer pieces. */
export function batchPauseMs(streams: number): number {
  return streams <= MAX_STREAMS_WITHOUT_PAUSE ? 0 : Math.min(MAX_PAUSE_MS, streams * PAUSE_MS_PER_STREAM);
}

export function createStreamPace(): StreamPace {
  let streams = 0;
  return {
    enter() {
      streams += 1;
      let isOver = false;
      return () => {
        if (!isOver) streams -= 1;
        isOver = true;
      };
    },
    pauseMs: () => batchPauseMs(streams),
  };
}
