import { LIMITS } from "@swarmbase/sdk";
import { RateLimiterMemory, type RateLimiterRes } from "rate-limiter-flexible";
import { entriesOf, type LimitSettings, WINDOWS, type WindowName } from "./windows.ts";

interface WindowCall {
  readonly window: WindowName;
  readonly key: string;
  /** 0 reads the state, and opens an empty window when there is none. */
  readonly calls: number;
}

/** A window after its calls were counted. */
export interface CountedWindow extends Pick<RateLimiterRes, "consumedPoints" | "remainingPoints" | "msBeforeNext"> {
  /** The counted calls exceeded the limit. */
  readonly isExceeded: boolean;
}

/** Counts the calls of keys in memory: of this process, or of another one that counts for several. */
export interface Counts {
  count(call: WindowCall): Promise<CountedWindow>;
  /** The number of calls in the current window of the key, without opening one. */
  find(call: Omit<WindowCall, "calls">): Promise<number>;
}

/** Windows whose limit is off must not be counted. */
export function createCounts(settings: LimitSettings): Counts {
  const counters = new Map<WindowName, RateLimiterMemory>();
  for (const [name, { row, setting, times }] of entriesOf(WINDOWS)) {
    const points = settings[setting] * times;
    if (points > 0) counters.set(name, new RateLimiterMemory({ points, duration: LIMITS[row].windowSeconds }));
  }
  return {
    async count({ window, key, calls }) {
      const counter = counters.get(window);
      if (counter === undefined) throw new Error(`the limit ${window} is off`);
      const counted = await settleCount(counter.consume(key, calls));
      // When the clock is set back, the counter would tell clients to wait for the difference, too. Its window ends by a timer.
      return { ...counted, msBeforeNext: Math.min(counted.msBeforeNext, counter.duration * 1_000) };
    },
    async find({ window, key }) {
      return (await counters.get(window)?.get(key))?.consumedPoints ?? 0;
    },
  };
}

/** A counter rejects with the state of a window whose limit is exceeded. */
export async function settleCount(counting: Promise<RateLimiterRes>): Promise<CountedWindow> {
  try {
    return toCounted(await counting, false);
  } catch (rejected) {
    if (rejected instanceof Error) throw rejected;
    return toCounted(rejected as RateLimiterRes, true);
  }
}

function toCounted(
  { consumedPoints, remainingPoints, msBeforeNext }: RateLimiterRes,
  isExceeded: boolean,
): CountedWindow {
  return { consumedPoints, remainingPoints, msBeforeNext, isExceeded };
}
