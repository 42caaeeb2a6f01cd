import { setTimeout as sleep } from "node:timers/promises";
import { WakeUp, type Worker, spread } from "../jobs/index.ts";
import type { Intake } from "./dispatcher/intake.ts";
import { runSteps } from "./run-steps.ts";
import { findScheduledDelayMs } from "./schedule.ts";
import { fanOutEvents } from "./sql/fan-out-events.ts";
import type { WebhookTools } from "./webhook-options.ts";

const MAX_EVENTS = 200;
/** One event can be very many deliveries, and a step has to end: so many are wanted of one, whatever it takes of events. */
const WANTED_DELIVERIES = 5_000;
const NAME = "webhook-fan-out";
/** How long events wait for room to be sent at once, before they are made deliveries for anybody to claim. */
const MAX_WAIT_FOR_ROOM_MS = 100;
/**
 * Every write rings, and where nobody listens none of them leaves an event behind. Looks that found nothing come ever less often,
 * down to this; a write that comes after a pause is looked after at once.
 */
const LONGEST_PAUSE_MS = 10;
/** The second of two is rung for, and has no business but with plenty of room. */
const ASSISTANT_SLEEP_MS = 60_000;

export interface FanOutOptions {
  readonly wakeUp: WakeUp;
  readonly pollMs: number;
  /** Who sends what can be sent at once. */
  readonly intake: Intake;
  onDeliveries(): void;
}

interface Outcome {
  readonly wasEmpty: boolean;
  readonly hasMore: boolean;
  readonly wasRoomy: boolean;
}

/**
 * Turns events into deliveries. Any number of nodes may do so at once: each takes events that no other has in hand. As long as
 * there are more than one step takes, this node takes two steps at a time, so that the database works on one while the
 * deliveries of the other are sent.
 */
export function createFanOut(tools: WebhookTools, options: FanOutOptions): Worker {
  const { wakeUp, pollMs, intake, onDeliveries } = options;
  const firstDelayMs = findScheduledDelayMs(tools.schedule, 1);
  const surplus = new WakeUp();
  let maxEvents = MAX_EVENTS;
  let isAssistantWanted = false;
  let emptyPolls = 0;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  const step = async (maxWaitMs: number, signal: AbortSignal): Promise<Outcome> => {
    await intake.waitForRoom(maxWaitMs, signal);
    const offer = firstDelayMs === 0 ? intake.offer() : null;
    const asked = maxEvents;
    const fannedOut = await fanOutEvents(tools.pool, asked, firstDelayMs, offer?.request ?? null).catch(
      (error: unknown) => {
        // Whatever has failed because it was too much is less the next time.
        maxEvents = Math.ceil(Math.min(asked, maxEvents) / 4);
        offer?.lose();
        throw error;
      },
    );
    const { events, unclaimed, hasResumptions, claimed } = fannedOut;
    const share = WANTED_DELIVERIES / Math.max(unclaimed + claimed.length, 1);
    maxEvents = Math.min(MAX_EVENTS, Math.max(1, Math.floor(asked * Math.min(2, share))));
    await offer?.accept(claimed, unclaimed === 0);
    if (unclaimed > 0 || hasResumptions) onDeliveries();
    return { wasEmpty: events === 0, hasMore: events >= asked, wasRoomy: unclaimed === 0 };
  };
  const lead = async (signal: AbortSignal): Promise<number> => {
    const pauseMs = lookedAtMs + Math.min(emptyPolls, LONGEST_PAUSE_MS) - performance.now();
    if (pauseMs > 0) await sleep(pauseMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return 0;
    lookedAtMs = performance.now();
    const { wasEmpty, hasMore, wasRoomy } = await step(MAX_WAIT_FOR_ROOM_MS, signal);
    emptyPolls = wasEmpty ? emptyPolls + 1 : 0;
    isAssistantWanted = hasMore && wasRoomy;
    if (isAssistantWanted) surplus.trigger();
    return hasMore ? 0 : spread(pollMs, tools.random);
  };
  const assist = async (signal: AbortSignal): Promise<number> => {
    if (isAssistantWanted) await step(ASSISTANT_SLEEP_MS, signal);
    return isAssistantWanted ? 0 : ASSISTANT_SLEEP_MS;
  };
  return {
    name: NAME,
    run: async (signal) => {
      const steps = { ...tools, name: NAME, signal };
      await Promise.all([
        runSteps(() => lead(signal), { ...steps, wakeUp }),
        runSteps(() => assist(signal), { ...steps, wakeUp: surplus }),
      ]);
    },
  };
}
