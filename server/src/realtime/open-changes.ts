import { randomBytes } from "node:crypto";
import type { Database } from "../db/index.ts";
import type { Observer } from "../observe/index.ts";
import type { Clock } from "../time/index.ts";
import { findAccessChanges } from "./access/find-access-changes.ts";
import { findEndedSessions, findUpdatedSessions } from "./access/ended-sessions.ts";
import type { AccessChanges, Changes, SessionsEnded } from "./changes.ts";
import { type SubscriptionLimits, Subscriptions } from "./visibility/subscriptions/subscriptions.ts";
import { SetsByKey } from "./sets-by-key.ts";
import { CatalogueWatch } from "./feed/catalogue-watch.ts";
import { createEmit } from "./feed/create-emit.ts";
import { Feed, type FeedOptions } from "./feed/feed.ts";
import { TransactionQueue, type TransactionQueueOptions } from "./feed/transaction-queue.ts";
import type { OpenFeedStream } from "./feed/feed-stream.ts";
import { MARKER_PREFIX, Markers } from "./feed/markers.ts";
import { MAX_LAG_BYTES } from "./feed/open-replication.ts";
import type { Transaction } from "./feed/row-change.ts";
import { subscribeWhenLive } from "./visibility/subscriptions/subscribe-when-live.ts";
import { createWhenVisible } from "./feed/when-visible.ts";

const DEFAULT_SETTINGS: SubscriptionLimits &
  Pick<TransactionQueueOptions, "maxWaitingBytes" | "maxPartBytes"> &
  Pick<FeedOptions, "maxLagBytes"> = {
  schemas: ["public"],
  policyTimeoutMs: 2_000,
  maxConcurrentPolicies: 6,
  maxWaitingPerIdentity: 10_000,
  maxRecordBytes: 1024 * 1024,
  maxWaitingBytes: 16 * 1024 * 1024,
  maxPartBytes: 1024 * 1024,
  maxLagBytes: MAX_LAG_BYTES,
};

export interface ChangesOptions {
  readonly openStream: OpenFeedStream;
  readonly database: Database;
  readonly observer: Observer;
  readonly clock: Clock;
  readonly settings?: Partial<typeof DEFAULT_SETTINGS>;
  readonly random?: () => number;
}

export function openChanges(options: ChangesOptions): Changes {
  const { database, observer, clock, random = Math.random } = options;
  const settings = { ...DEFAULT_SETTINGS, ...options.settings };
  const whenVisible = createWhenVisible(database.service);
  const emit = createEmit(database.service);
  const markers = new Markers(emit, randomBytes(8).toString("hex"));
  const listeners = new SetsByKey<Parameters<Changes["onMessage"]>[1]>();
  const sessionListeners = new Set<(ended: SessionsEnded) => void>();
  const updateListeners = new Set<Parameters<Changes["onSessionsUpdated"]>[0]>();
  const accessListeners = new Set<(changed: AccessChanges) => void>();
  const notifyAccess = (changed: AccessChanges): void => {
    for (const listener of accessListeners) listener(changed);
  };
  const catalogue = new CatalogueWatch({
    pool: database.service,
    commits: database.commits,
    observer,
    random,
    onRulesChanged: () => notifyAccess("all"),
  });
  const subscriptions = new Subscriptions({
    ...settings,
    database,
    observer,
    whenVisible,
    syncPublication: catalogue.sync,
    follow: (tables) => feed.follow(tables),
    countLives: () => feed.liveCount,
  });

  const deliverMessages = ({ messages, xid }: Transaction): void => {
    for (const { prefix, content } of messages) {
      if (prefix === MARKER_PREFIX) markers.see(content);
      else for (const listener of listeners.get(prefix)) listener(content, () => whenVisible(xid));
    }
  };
  const reportAccess = (transaction: Transaction): void => {
    const changed = findAccessChanges(transaction);
    if (changed === null) return;
    const report = (): void => notifyAccess(changed);
    // When the visibility cannot be determined, the next check by age finds the change at the latest.
    whenVisible(transaction.xid).then(report, report);
  };
  const onTransaction = (transaction: Transaction): Promise<void> | void => {
    rejectTruncation(transaction);
    reportAccess(transaction);
    const ended = findEndedSessions(transaction.changes, clock.now());
    if (ended !== null) {
      subscriptions.end(ended);
      for (const listener of sessionListeners) listener(ended);
    }
    const updated = findUpdatedSessions(transaction.changes);
    if (updated.length > 0)
      for (const listener of updateListeners) listener(updated, () => whenVisible(transaction.xid));
    const routed = subscriptions.route(transaction);
    return routed === undefined ? deliverMessages(transaction) : routed.then(() => deliverMessages(transaction));
  };
  const reading = {
    ...settings,
    isWanted: subscriptions.isWanted,
    onRelation: () => subscriptions.clearTables(),
    onTransaction,
  };
  const feed = new Feed({
    ...settings,
    openStream: options.openStream,
    pool: database.service,
    commits: database.commits,
    observer,
    random,
    createReader: (streamOf) => new TransactionQueue(reading, streamOf),
    onLost: (reason) => {
      markers.clear();
      subscriptions.loseAll(reason);
    },
  });

  return {
    subscribe: (subscriber, signal) => subscribeWhenLive({ feed, markers, subscriptions }, subscriber, signal),
    emit,
    onMessage: (prefix, listener) => {
      listeners.add(prefix, listener);
      return () => listeners.delete(prefix, listener);
    },
    onSessionsEnded: (listener) => {
      sessionListeners.add(listener);
      return () => sessionListeners.delete(listener);
    },
    onSessionsUpdated: (listener) => {
      updateListeners.add(listener);
      return () => updateListeners.delete(listener);
    },
    onAccessChanged: (listener) => {
      accessListeners.add(listener);
      return () => accessListeners.delete(listener);
    },
    state: () => feed.state,
    liveCount: () => feed.liveCount,
    reason: () => feed.reason,
    lagBytes: () => feed.lagBytes,
    worker: {
      name: "realtime-feed",
      run: async (signal) => {
        await Promise.all([feed.run(signal), catalogue.run(signal)]);
      },
    },
  };
}

/** A truncated access table makes the cached access wrong, so the feed restarts and loads it again. */
function rejectTruncation({ truncated }: Transaction): void {
  const table = truncated.find(
    ({ schema, name }) => schema === "auth" || (schema === "public" && (name === "swarm_members" || name === "agents")),
  );
  if (table !== undefined) throw new Error(`${table.name} was truncated`);
}
