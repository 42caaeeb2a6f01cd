import { setTimeout as sleep } from "node:timers/promises";
import { type WorkNotice, WakeUp, type Worker, spread } from "../jobs/index.ts";
import type { InsertClaims } from "./dispatcher/held-delivery.ts";
import { runSteps } from "./run-steps.ts";
import { findScheduledDelayMs } from "./outcome.ts";
import { fanOutEvents } from "./sql/fan-out-events.ts";
import type { WebhookTools } from "./webhook-options.ts";

const MAX_EVENTS = 200;
/** One event can have very many deliveries: the number of events adapts so that a step makes about this many. */
const TARGET_DELIVERIES = 5_000;
const NAME = "webhook-fan-out";
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

export interface FanOutOptions {
  readonly wakeUp: WakeUp;
  readonly pollMs: number;
  readonly insertClaims: InsertClaims;
  readonly notice: WorkNotice;
  /** Deliveries wait for a claim. */
  onDeliveries(): void;
  /** A step may have left events. */
  onMoreEvents(): void;
}

/**
 * Turns events into deliveries. Several nodes can do so concurrently: each skips events that another has locked. While there
 * are more events than one step takes, a second loop runs, so that the database works on one step while the deliveries of the
 * other are sent.
 */
export function createFanOut(tools: WebhookTools, options: FanOutOptions): Worker {
  const { wakeUp, pollMs, insertClaims, notice, onDeliveries, onMoreEvents } = options;
  const firstDelayMs = findScheduledDelayMs(tools.schedule, 1);
  const isTraced = (tools.traceSource ?? null) !== null;
  const secondWakeUp = new WakeUp();
  let maxEvents = MAX_EVENTS;
  let needsSecondLoop = false;
  let emptyPolls = 0;
  let intervalMs = 0;
  let polledAtMs = Number.NEGATIVE_INFINITY;
  const step = async (maxWaitMs: number, signal: AbortSignal) => {
    await insertClaims.waitForCapacity(maxWaitMs, signal);
    const claim = firstDelayMs === 0 ? insertClaims.prepare() : null;
    const limit = maxEvents;
    notice.settle();
    const fannedOut = await fanOutEvents(tools.pool, limit, firstDelayMs, claim?.request ?? null, isTraced).catch(
      (error: unknown) => {
        // The step may have failed because it was too large.
        maxEvents = Math.ceil(Math.min(limit, maxEvents) / 4);
        claim?.lose();
        onMoreEvents();
        throw error;
      },
    );
    const { events, unclaimed, hasResumptions, claimed } = fannedOut;
    const growth = TARGET_DELIVERIES / Math.max(unclaimed + claimed.length, 1);
    maxEvents = Math.min(MAX_EVENTS, Math.max(1, Math.floor(limit * Math.min(2, growth))));
    await claim?.accept(claimed, unclaimed === 0);
    if (unclaimed > 0 || hasResumptions) onDeliveries();
    const hasMore = events >= limit;
    if (hasMore) onMoreEvents();
    return { wasEmpty: events === 0, hasMore, isAllClaimed: unclaimed === 0 };
  };
  const runFirst = async (signal: AbortSignal): Promise<number> => {
    const pauseMs = polledAtMs + intervalMs - performance.now();
    if (pauseMs > 0) await sleep(pauseMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return 0;
    polledAtMs = performance.now();
    const { wasEmpty, hasMore, isAllClaimed } = await step(MAX_CAPACITY_WAIT_MS, signal);
    emptyPolls = wasEmpty ? emptyPolls + 1 : 0;
    if (wasEmpty) intervalMs = Math.min(emptyPolls, MAX_PAUSE_MS);
    else intervalMs = hasMore ? 0 : MAX_PAUSE_MS;
    needsSecondLoop = hasMore && isAllClaimed;
    if (needsSecondLoop) secondWakeUp.trigger();
    return hasMore ? 0 : spread(pollMs, tools.random);
  };
  const runSecond = async (signal: AbortSignal): Promise<number> => {
    if (needsSecondLoop) await step(SECOND_LOOP_SLEEP_MS, signal);
    return needsSecondLoop ? 0 : SECOND_LOOP_SLEEP_MS;
  };
  return {
    name: NAME,
    run: async (signal) => {
      const steps = { ...tools, name: NAME, signal };
      await notice.during(async () => {
        await Promise.all([
          runSteps(() => runFirst(signal), { ...steps, wakeUp }),
          runSteps(() => runSecond(signal), { ...steps, wakeUp: secondWakeUp }),
        ]);
      });
    },
  };
}
