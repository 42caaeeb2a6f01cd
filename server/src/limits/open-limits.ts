import { LIMITS } from "@swarmbase/sdk";
import { RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from "rate-limiter-flexible";
import type { Observer } from "../observe/index.ts";
import type { Clock } from "../time/index.ts";
import { guardStore, type SharedStore } from "./shared-store.ts";
import { type RateLimitState, toRateLimitState } from "./rate-limit-state.ts";
import { userIdOf } from "./user-key.ts";
import { type LimitSettings, WINDOWS, type WindowName } from "./windows.ts";

export type { LimitSettings, WindowName } from "./windows.ts";

export interface OpenLimitsOptions {
  readonly settings: LimitSettings;
  /** Where nodes count together; null when each counts for itself. */
  readonly store: SharedStore | null;
  /** Counts one webhook send of a user in the database, together with the sends of the dispatchers of all nodes. */
  countWebhookSend(userId: string): Promise<WebhookSend>;
  readonly clock: Clock;
  readonly observer: Observer;
}

/** The window of a user after a request for one send. */
export interface WebhookSend {
  readonly isGranted: boolean;
  readonly remaining: number;
  /** Until the window is over. */
  readonly leftMs: number;
}

export interface Limits {
  /** Counts one call of the key; a user is counted by id. Null when the row is off. Never fails for want of a store. */
  take(window: WindowName, key: string): Promise<RateLimitState | null>;
  /** Reads the rateLimitState without counting a call. Opens an empty window when there is none. Null when the row is off. */
  look(window: WindowName, key: string): Promise<RateLimitState | null>;
  /** Whether the key has nothing left, without counting. As this node knows it. */
  isSpent(window: LocalWindowName, key: string): Promise<boolean>;
}

/** The windows that a node keeps to itself and can look into. */
type LocalWindowName = {
  [Name in WindowName]: (typeof WINDOWS)[Name]["countedIn"] extends "node" ? Name : never;
}[WindowName];

type Counter = Pick<RateLimiterMemory, "consume" | "get" | "points">;

const PREFIX = "swarmbase:limit";

/** A window opens with a key's first call and lasts a minute; then the key begins anew. */
export function openLimits({ settings, store, countWebhookSend, clock, observer }: OpenLimitsOptions): Limits {
  const guarded = store === null ? null : guardStore(store, observer);
  const counters = new Map<WindowName, Counter>();
  for (const [name, { row, setting, times, countedIn }] of entriesOf(WINDOWS)) {
    const points = settings[setting] * times;
    if (points === 0 || countedIn === "database") continue;
    const options = { points, duration: LIMITS[row].windowSeconds, keyPrefix: `${PREFIX}:${name}` };
    const isLocal = guarded === null || countedIn === "node";
    counters.set(name, isLocal ? new RateLimiterMemory(options) : openShared(guarded, options));
  }
  const takeWebhookSend = async (key: string): Promise<RateLimitState | null> => {
    const limit = settings.limitWebhooks;
    if (limit === 0) return null;
    const { isGranted, remaining, leftMs } = await countWebhookSend(userIdOf(key));
    if (!isGranted) observer.note("limit.hit", { row: "webhook" });
    const counted = { remainingPoints: remaining, msBeforeNext: leftMs };
    return toRateLimitState(counted, { limit, isExceeded: !isGranted, now: clock.now() });
  };

  const count = async (window: WindowName, key: string, calls: number): Promise<RateLimitState | null> => {
    const counter = counters.get(window);
    if (counter === undefined) return null;
    const { points: limit } = counter;
    try {
      return toRateLimitState(await counter.consume(key, calls), { limit, isExceeded: false, now: clock.now() });
    } catch (refusal) {
      if (refusal instanceof Error) throw refusal;
      return toRateLimitState(refusal as RateLimiterRes, { limit, isExceeded: true, now: clock.now() });
    }
  };

  return {
    async take(window, key) {
      if (window === "webhook") return takeWebhookSend(key);
      const rateLimitState = await count(window, key, 1);
      if (rateLimitState?.isExceeded === true) observer.note("limit.hit", { row: window });
      return rateLimitState;
    },
    look: (window, key) => count(window, key, 0),
    async isSpent(window, key) {
      const counter = counters.get(window);
      if (counter === undefined) return false;
      const count = await counter.get(key);
      return count !== null && count.consumedPoints >= counter.points;
    },
  };
}

function openShared(
  store: SharedStore,
  options: { readonly points: number; readonly duration: number; readonly keyPrefix: string },
): Counter {
  return new RateLimiterRedis({
    ...options,
    storeClient: store,
    useRedisPackage: true,
    rejectIfRedisNotReady: true,
    // Whoever has nothing left is refused without asking the store again.
    inMemoryBlockOnConsumed: options.points,
    insuranceLimiter: new RateLimiterMemory(options),
  });
}

function entriesOf<Name extends string, Value>(table: Record<Name, Value>): [Name, Value][] {
  return Object.entries(table) as [Name, Value][];
}
