import { type Alarm, type Worker, spread } from "../jobs/index.ts";
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
const MAX_WAIT_FOR_ROOM_MS = 50;

export interface FanOutOptions {
  readonly alarm: Alarm;
  readonly pollMs: number;
  /** Who sends what can be sent at once. */
  readonly intake: Intake;
  onDeliveries(): void;
}

/** Turns events into deliveries. Any number of nodes may do so at once: each takes events that no other has in hand. */
export function createFanOut(tools: WebhookTools, options: FanOutOptions): Worker {
  const { alarm, pollMs, intake, onDeliveries } = options;
  const firstDelayMs = findScheduledDelayMs(tools.schedule, 1);
  let maxEvents = MAX_EVENTS;
  const step = async (signal: AbortSignal): Promise<number> => {
    await intake.waitForRoom(MAX_WAIT_FOR_ROOM_MS, signal);
    const offer = firstDelayMs === 0 ? intake.offer() : null;
    const asked = maxEvents;
    // Until it is known to have ended well: whatever has failed because it was too much is less the next time.
    maxEvents = Math.ceil(asked / 4);
    const fannedOut = await fanOutEvents(tools.pool, asked, firstDelayMs, offer?.request ?? null).catch(
      (error: unknown) => {
        offer?.lose();
        throw error;
      },
    );
    const { events, unclaimed, hasResumptions, claimed } = fannedOut;
    const share = WANTED_DELIVERIES / Math.max(unclaimed + claimed.length, 1);
    maxEvents = Math.min(MAX_EVENTS, Math.max(1, Math.floor(asked * Math.min(2, share))));
    await offer?.accept(claimed, unclaimed === 0);
    if (unclaimed > 0 || hasResumptions) onDeliveries();
    return events >= asked ? 0 : spread(pollMs, tools.random);
  };
  return {
    name: NAME,
    run: (signal) => runSteps(() => step(signal), { ...tools, name: NAME, alarm, signal }),
  };
}
