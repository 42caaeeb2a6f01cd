import { LIMITS } from "@swarmbase/sdk";
import { RateLimiterRedis } from "rate-limiter-flexible";
import type { Observer } from "../observe/index.ts";
import type { Clock } from "../time/index.ts";
import { type CountedWindow, type Counts, createCounts, settleCount } from "./counts.ts";
import { guardStore, type SharedStore } from "./shared-store.ts";
import { type RateLimitState, toRateLimitState } from "./rate-limit-state.ts";
import { userIdOfKey } from "./user-key.ts";
import { entriesOf, type LimitSettings, WINDOWS, type WindowName } from "./windows.ts";

interface OpenLimitsOptions {
  readonly settings: LimitSettings;
  /** The store that nodes share; null when each node counts for itself. */
  readonly store: SharedStore | null;
  /** Counts without a store, and while it is unavailable; by default in this process. */
  readonly counts?: Counts;
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
  /** Whether nodes count separately because the store that they share is unavailable. */
  isStoreAway(): boolean;
}

/** The windows that each node counts alone. */
type LocalWindowName = {
  [Name in WindowName]: (typeof WINDOWS)[Name]["countedIn"] extends "node" ? Name : never;
}[WindowName];

interface Counter {
  readonly limit: number;
  count(key: string, calls: number): Promise<CountedWindow>;
}

const PREFIX = "swarmbase:limit";

/** A window opens with the first call of a key and lasts a minute. */
export function openLimits(options: OpenLimitsOptions): Limits {
  const { settings, store, countWebhookSend, clock, observer } = options;
  const counts = options.counts ?? createCounts(settings);
  const guarded = store === null ? null : guardStore(store, observer);
  const counters = new Map<WindowName, Counter>();
  for (const [name, { row, setting, times, countedIn }] of entriesOf(WINDOWS)) {
    const limit = settings[setting] * times;
    if (limit === 0 || countedIn === "database") continue;
    const countHere = (key: string, calls: number): Promise<CountedWindow> =>
      counts.count({ window: name, key, calls });
    if (guarded === null || countedIn === "node") counters.set(name, { limit, count: countHere });
    else {
      const duration = LIMITS[row].windowSeconds;
      const shared = openShared(guarded, { points: limit, duration, keyPrefix: `${PREFIX}:${name}` });
      // The counter throws while the store is unavailable.
      const count: Counter["count"] = (key, calls) =>
        settleCount(shared.consume(key, calls)).catch(() => countHere(key, calls));
      counters.set(name, { limit, count });
    }
  }
  const takeWebhookSend = async (key: string): Promise<RateLimitState | null> => {
    const limit = settings.limitWebhooks;
    if (limit === 0) return null;
    const { isGranted, remaining, leftMs } = await countWebhookSend(userIdOfKey(key));
    if (!isGranted) observer.note("limit.hit", { row: "webhook" });
    const counted = { remainingPoints: remaining, msBeforeNext: leftMs };
    return toRateLimitState(counted, { limit, isExceeded: !isGranted, now: clock.now() });
  };

  const count = async (window: WindowName, key: string, calls: number): Promise<RateLimitState | null> => {
    const counter = counters.get(window);
    if (counter === undefined) return null;
    const counted = await counter.count(key, calls);
    return toRateLimitState(counted, { limit: counter.limit, isExceeded: counted.isExceeded, now: clock.now() });
  };

  return {
    isStoreAway: () => guarded?.isAway ?? false,
    async take(window, key) {
      if (window === "webhook") return takeWebhookSend(key);
      const rateLimitState = await count(window, key, 1);
      if (rateLimitState?.isExceeded === true) observer.note("limit.hit", { row: window });
      return rateLimitState;
    },
    peek: (window, key) => count(window, key, 0),
    async isExhausted(window, key) {
      const counter = counters.get(window);
      return counter !== undefined && (await counts.find({ window, key })) >= counter.limit;
    },
  };
}

function openShared(
  store: SharedStore,
  options: { readonly points: number; readonly duration: number; readonly keyPrefix: string },
): RateLimiterRedis {
  return new RateLimiterRedis({
    ...options,
    storeClient: store,
    useRedisPackage: true,
    rejectIfRedisNotReady: true,
    // A key that has exceeded its limit is rejected without another call to the store.
    inMemoryBlockOnConsumed: options.points,
  });
}
