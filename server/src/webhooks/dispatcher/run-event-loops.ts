import { setTimeout as sleep } from "node:timers/promises";
import { UNWATCHED, WakeUp } from "../../jobs/index.ts";
import { runSteps, type StepsOptions } from "../run-steps.ts";

/** How long a step waits for capacity to claim on insert, before it inserts deliveries unclaimed. */
const MAX_CAPACITY_WAIT_MS = 100;
/**
 * A step costs as much as twenty of its deliveries. So while events keep coming, steps start at least this far apart, and an
 * event after a pause waits for nothing. A wake-up does not always mean that there are events: each consecutive empty poll
 * delays the next by 1 ms more, up to this.
 */
const MAX_PAUSE_MS = 10;
/** The second loop runs only when the first wakes it, and waits this long for capacity. */
const SECOND_LOOP_SLEEP_MS = 60_000;

/** What a step found. */
export interface EventStep {
  readonly wasEmpty: boolean;
  /** The step may have left events. */
  readonly hasMore: boolean;
  /** No delivery that the step made waits for a claim. */
  readonly isAllClaimed: boolean;
}

/**
 * Polls for events until the signal aborts. While there are more than one step takes, a second loop runs, so that the database
 * works on one step while the deliveries of the other are sent.
 */
export async function runEventLoops(
  step: (maxCapacityWaitMs: number) => Promise<EventStep>,
  options: Omit<StepsOptions, "name">,
): Promise<void> {
  const { signal } = options;
  const secondWakeUp = new WakeUp();
  let needsSecondLoop = false;
  let emptyPolls = 0;
  let intervalMs = 0;
  let polledAtMs = Number.NEGATIVE_INFINITY;
  const runFirst = async (): Promise<number> => {
    const pauseMs = polledAtMs + intervalMs - performance.now();
    if (pauseMs > 0) await sleep(pauseMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return 0;
    polledAtMs = performance.now();
    const { wasEmpty, hasMore, isAllClaimed } = await step(MAX_CAPACITY_WAIT_MS);
    emptyPolls = wasEmpty ? emptyPolls + 1 : 0;
    if (wasEmpty) intervalMs = Math.min(emptyPolls, MAX_PAUSE_MS);
    else intervalMs = hasMore ? 0 : MAX_PAUSE_MS;
    needsSecondLoop = hasMore && isAllClaimed;
    if (needsSecondLoop) secondWakeUp.trigger();
    return hasMore ? 0 : Number.POSITIVE_INFINITY;
  };
  const runSecond = async (): Promise<number> => {
    if (needsSecondLoop) await step(SECOND_LOOP_SLEEP_MS);
    return needsSecondLoop ? 0 : SECOND_LOOP_SLEEP_MS;
  };
  const first = { ...options, name: "webhook-fan-out" };
  const second = { ...first, wakeUp: secondWakeUp, commits: UNWATCHED, everyMs: SECOND_LOOP_SLEEP_MS };
  await Promise.all([runSteps(runFirst, first), runSteps(runSecond, second)]);
}
