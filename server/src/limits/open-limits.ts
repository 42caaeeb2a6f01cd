import { LIMITS } from "@swarmbase/sdk";
import { RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from "rate-limiter-flexible";
import type { Observer } from "../observe/index.ts";
import type { Clock } from "../time/index.ts";
import { guardStore, type SharedStore } from "./shared-store.ts";
import { type RateLimitState, toRateLimitState } from "./rate-limit-state.ts";
import { userIdOf } from "./user-key.ts";
import { type LimitSettings, WINDOWS, type WindowName } from "./windows.ts";

export interface OpenLimitsOptions {
  readonly settings: LimitSettings;
  /** The store that nodes share; null when each node counts for itself. */
  readonly store: SharedStore | null;
  /** Counts one webhook send of a user in the database, together with those of all dispatchers. */
  countWebhookSend(userId: string): Promise<WebhookSend>;
  readonly clock: Clock;
  readonly observer: Observer;
}

/** The window of a user after one send was requested. */
export interface WebhookSend {
  readonly isGranted: boolean;
  readonly remaining: number;
  /** Time until the window ends. */
  readonly leftMs: number;
}

export interface Limits {
  /** Counts one call of the key. Returns null when the limit is off. Does not fail when the store is unavailable. */
  take(window: WindowName, key: string): Promise<RateLimitState | null>;
  /** Reads the state without counting. Opens an empty window when there is none. Returns null when the limit is off. */
  peek(window: WindowName, key: string): Promise<RateLimitState | null>;
  /** Whether the key has no calls left, as this node knows it. Does not count. */
  isExhausted(window: LocalWindowName, key: string): Promise<boolean>;
}

/** The windows that each node counts alone. */
type LocalWindowName = {
  [Name in WindowName]: (typeof WINDOWS)[Name]["countedIn"] extends "node" ? Name : never;
}[WindowName];

type Counter = Pick<RateLimiterMemory, "consume" | "get" | "points">;

const PREFIX = "swarmbase:limit";

/** A window opens with the first call of a key and lasts a minute. */
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
    } catch (rejected) {
      if (rejected instanceof Error) throw rejected;
      return toRateLimitState(rejected as RateLimiterRes, { limit, isExceeded: true, now: clock.now() });
    }
  };

  return {
    async take(window, key) {
      if (window === "webhook") return takeWebhookSend(key);
      const rateLimitState = await count(window, key, 1);
      if (rateLimitState?.isExceeded === true) observer.note("limit.hit", { row: window });
      return rateLimitState;
    },
    peek: (window, key) => count(window, key, 0),
    async isExhausted(window, key) {
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
    // A key that has exceeded its limit is rejected without another call to the store.
    inMemoryBlockOnConsumed: options.points,
    insuranceLimiter: new RateLimiterMemory(options),
  });
}

function entriesOf<Name extends string, Value>(table: Record<Name, Value>): [Name, Value][] {
  return Object.entries(table) as [Name, Value][];
}
