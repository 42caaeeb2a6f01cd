import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { Database } from "../../db/index.ts";
import { AppError } from "../../errors/index.ts";
import type { Observer } from "../../observe/index.ts";
import type { Clock } from "../../time/index.ts";
import type { Changes, ChangesSubscriber, SessionsEnded, Subscription } from "../changes.ts";
import { findEnded } from "../visibility/ended-sessions.ts";
import { Subscriptions } from "../visibility/subscriptions.ts";
import { Emitter } from "./emitter.ts";
import { Feed } from "./feed.ts";
import { MARKER_PREFIX, Markers } from "./markers.ts";
import type { Transaction } from "./row-change.ts";

export interface ChangesSettings {
  /** Where names in policies that are not qualified are looked for. */
  readonly schemas: readonly string[];
  readonly policyTimeoutMs: number;
  readonly maxConcurrentPolicies: number;
  readonly maxWaitingPerIdentity: number;
  /** The JSON of one change beyond this comes without its long values. */
  readonly maxRecordBytes: number;
  readonly maxWaitingBytes: number;
  readonly maxTransactionBytes: number;
  readonly maxLagBytes: number;
}

const DEFAULT_SETTINGS: ChangesSettings = {
  schemas: ["public"],
  policyTimeoutMs: 2_000,
  maxConcurrentPolicies: 6,
  maxWaitingPerIdentity: 10_000,
  maxRecordBytes: 1024 * 1024,
  maxWaitingBytes: 16 * 1024 * 1024,
  maxTransactionBytes: 128 * 1024 * 1024,
  maxLagBytes: 512 * 1024 * 1024,
};

export interface ChangesOptions {
  /** The login that may replicate, straight to the server. */
  readonly directUrl: string;
  readonly database: Database;
  readonly observer: Observer;
  readonly clock: Clock;
  readonly settings?: Partial<ChangesSettings>;
  readonly random?: () => number;
}

export function openChanges(options: ChangesOptions): Changes {
  const { database, observer, clock, random = Math.random } = options;
  const settings = { ...DEFAULT_SETTINGS, ...options.settings };
  const subscriptions = new Subscriptions({ ...settings, database, observer });
  const emitter = new Emitter(database.service);
  const markers = new Markers(emitter, randomBytes(8).toString("hex"));
  const listeners = new Map<string, Set<(content: Buffer) => void>>();
  const sessionListeners = new Set<(ended: SessionsEnded) => void>();

  const take = (transaction: Transaction): Promise<void> | void => {
    refuseTruncation(transaction);
    const ended = findEnded(transaction.changes, clock.now());
    if (ended !== null) {
      subscriptions.end(ended);
      for (const listener of sessionListeners) listener(ended);
    }
    const told = subscriptions.take(transaction);
    const hear = (): void => {
      for (const { prefix, content } of transaction.messages) {
        if (prefix === MARKER_PREFIX) markers.see(content);
        else for (const listener of listeners.get(prefix) ?? []) listener(content);
      }
    };
    return told === undefined ? hear() : told.then(hear);
  };

  const feed = new Feed({
    url: options.directUrl,
    pool: database.service,
    observer,
    limits: settings,
    random,
    isWanted: subscriptions.isWanted,
    onRelation: () => subscriptions.forgetTables(),
    onTransaction: take,
    onLost: (reason) => {
      markers.clear();
      subscriptions.loseAll(reason);
    },
  });

  const subscribe = async (subscriber: ChangesSubscriber, signal: AbortSignal): Promise<Subscription> => {
    for (;;) {
      signal.throwIfAborted();
      if (feed.state === "unavailable")
        throw new AppError("SERVICE_UNAVAILABLE", feed.reason ?? "Realtime is not available");
      await unless(feed.whenDecided(), signal);
      if (feed.state !== "live") continue;
      const { lost } = feed;
      let lostBefore: string | null = null;
      let isSubscribed = false;
      const attempt: ChangesSubscriber = {
        caller: subscriber.caller,
        bindings: subscriber.bindings,
        deliver: (ids, data) => subscriber.deliver(ids, data),
        lose: (reason) => {
          if (isSubscribed) subscriber.lose(reason);
          else lostBefore = reason;
        },
      };
      const adding = subscriptions.add(attempt);
      const added = await unless(adding, signal).catch((error: unknown) => {
        adding.then(({ close }) => close()).catch(() => {});
        throw error;
      });
      try {
        await unless(markers.pass(), AbortSignal.any([signal, lost]));
      } catch (error) {
        added.close();
        signal.throwIfAborted();
        if (lost.aborted) continue;
        throw error;
      }
      if (lost.aborted) continue;
      if (lostBefore !== null) throw new AppError("UNAUTHORIZED", lostBefore);
      isSubscribed = true;
      added.begin();
      return added;
    }
  };

  return {
    subscribe,
    emit: (prefix, content) => emitter.emit(prefix, content),
    onMessage: (prefix, listener) => {
      const known = listeners.get(prefix) ?? new Set();
      listeners.set(prefix, known.add(listener));
      return () => known.delete(listener);
    },
    onSessionsEnded: (listener) => {
      sessionListeners.add(listener);
      return () => sessionListeners.delete(listener);
    },
    state: () => feed.state,
    reason: () => feed.reason,
    lagBytes: () => feed.lagBytes,
    worker: { name: "realtime-feed", run: (signal) => feed.run(signal) },
  };
}

/** Who belongs where, and whose session lives, would be wrong afterwards, so it is asked anew. */
function refuseTruncation({ truncated }: Transaction): void {
  const table = truncated.find(
    ({ schema, name }) => schema === "auth" || (schema === "public" && (name === "swarm_members" || name === "agents")),
  );
  if (table !== undefined) throw new Error(`${table.name} was truncated`);
}

async function unless<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const stop = new AbortController();
  const aborted = once(signal, "abort", { signal: stop.signal }).then(() => {
    throw signal.reason;
  });
  aborted.catch(() => {});
  try {
    return await Promise.race([work, aborted]);
  } finally {
    stop.abort();
  }
}
