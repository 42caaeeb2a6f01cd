/** How often the answers that come in are looked at: each look costs the same, whatever has come. */
export interface StreamPace {
  /** One more answer is being read; to be called back when it is over. */
  enter(): () => void;
  /** How long to leave an answer alone after some of it has come. */
  restMs(): number;
}

const UNHURRIED_STREAMS = 50;
const REST_MS_PER_STREAM = 0.4;
const LONGEST_REST_MS = 200;

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
    restMs: () => (streams <= UNHURRIED_STREAMS ? 0 : Math.min(LONGEST_REST_MS, streams * REST_MS_PER_STREAM)),
  };
}
