import { randomBytes } from "node:crypto";
import type { Database } from "../db/index.ts";
import type { Observer } from "../observe/index.ts";
import type { Clock } from "../time/index.ts";
import { findAccessChanges } from "./access/find-access-changes.ts";
import { findEndedSessions, findUpdatedSessions } from "./access/ended-sessions.ts";
import type { AccessChanges, Changes, ChangesSubscriber, SessionsEnded, SubscriptionHandle } from "./changes.ts";
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
import { createWhenVisible, type WhenVisible } from "./feed/when-visible.ts";

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

type MessageListener = Parameters<Changes["onMessage"]>[1];
type UpdateListener = Parameters<Changes["onSessionsUpdated"]>[0];

export interface ChangesOptions {
  readonly openStream: OpenFeedStream;
  readonly database: Database;
  readonly observer: Observer;
  readonly clock: Clock;
  readonly settings?: Partial<typeof DEFAULT_SETTINGS>;
  readonly random?: () => number;
}

export function openChanges(options: ChangesOptions): Changes {
  return new OpenedChanges(options);
}

/** The change feed of this process, and those who listen to it. */
class OpenedChanges implements Changes {
  readonly emit: Changes["emit"];
  readonly worker: Changes["worker"];
  readonly #clock: Clock;
  readonly #whenVisible: WhenVisible;
  readonly #markers: Markers;
  readonly #subscriptions: Subscriptions;
  readonly #feed: Feed;
  readonly #messageListeners = new SetsByKey<MessageListener>();
  readonly #endListeners = new Set<(ended: SessionsEnded) => void>();
  readonly #updateListeners = new Set<UpdateListener>();
  readonly #accessListeners = new Set<(changed: AccessChanges) => void>();

  constructor({ database, observer, clock, openStream, random = Math.random, ...options }: ChangesOptions) {
    const settings = { ...DEFAULT_SETTINGS, ...options.settings };
    const { service: pool, commits } = database;
    this.#clock = clock;
    this.#whenVisible = createWhenVisible(pool);
    this.emit = createEmit(pool);
    this.#markers = new Markers(this.emit, randomBytes(8).toString("hex"));
    const catalogue = new CatalogueWatch({
      pool,
      commits,
      observer,
      random,
      onRulesChanged: () => this.#notifyAccess("all"),
    });
    this.#subscriptions = new Subscriptions({
      ...settings,
      database,
      observer,
      whenVisible: this.#whenVisible,
      syncPublication: catalogue.sync,
      follow: (tables) => this.#feed.follow(tables),
      countLives: () => this.#feed.liveCount,
    });
    const reading = {
      ...settings,
      isWanted: this.#subscriptions.isWanted,
      onRelation: () => this.#subscriptions.clearTables(),
      onTransaction: (transaction: Transaction) => this.#take(transaction),
    };
    this.#feed = new Feed({
      ...settings,
      openStream,
      pool,
      commits,
      observer,
      random,
      createReader: (streamOf) => new TransactionQueue(reading, streamOf),
      onLost: (reason) => {
        this.#markers.clear();
        this.#subscriptions.loseAll(reason);
      },
    });
    this.worker = {
      name: "realtime-feed",
      run: async (signal) => {
        await Promise.all([this.#feed.run(signal), catalogue.run(signal)]);
      },
    };
  }

  subscribe(subscriber: ChangesSubscriber, signal: AbortSignal): Promise<SubscriptionHandle> {
    const [feed, markers, subscriptions] = [this.#feed, this.#markers, this.#subscriptions];
    return subscribeWhenLive({ feed, markers, subscriptions }, subscriber, signal);
  }

  onMessage(prefix: string, listener: MessageListener): () => void {
    this.#messageListeners.add(prefix, listener);
    return () => this.#messageListeners.delete(prefix, listener);
  }

  onSessionsEnded(listener: (ended: SessionsEnded) => void): () => void {
    return listen(this.#endListeners, listener);
  }

  onSessionsUpdated(listener: UpdateListener): () => void {
    return listen(this.#updateListeners, listener);
  }

  onAccessChanged(listener: (changed: AccessChanges) => void): () => void {
    return listen(this.#accessListeners, listener);
  }

  state(): Feed["state"] {
    return this.#feed.state;
  }

  liveCount(): number {
    return this.#feed.liveCount;
  }

  reason(): string | null {
    return this.#feed.reason;
  }

  lagBytes(): number | null {
    return this.#feed.lagBytes;
  }

  /** Ended sessions get none of the changes, and messages follow after them: a marker is seen when what precedes it is delivered. */
  #take(transaction: Transaction): Promise<void> | void {
    rejectTruncation(transaction);
    this.#reportAccess(transaction);
    this.#reportSessions(transaction);
    const routed = this.#subscriptions.route(transaction);
    return routed === undefined
      ? this.#deliverMessages(transaction)
      : routed.then(() => this.#deliverMessages(transaction));
  }

  #reportAccess(transaction: Transaction): void {
    const changed = findAccessChanges(transaction);
    if (changed === null) return;
    const report = (): void => this.#notifyAccess(changed);
    // When the visibility cannot be determined, the next check by age finds the change at the latest.
    this.#whenVisible(transaction.xid).then(report, report);
  }

  #notifyAccess(changed: AccessChanges): void {
    for (const listener of this.#accessListeners) listener(changed);
  }

  #reportSessions({ changes, xid }: Transaction): void {
    const ended = findEndedSessions(changes, this.#clock.now());
    if (ended !== null) {
      this.#subscriptions.end(ended);
      for (const listener of this.#endListeners) listener(ended);
    }
    const updated = findUpdatedSessions(changes);
    if (updated.length === 0) return;
    for (const listener of this.#updateListeners) listener(updated, () => this.#whenVisible(xid));
  }

  #deliverMessages({ messages, xid }: Transaction): void {
    for (const { prefix, content } of messages) {
      if (prefix === MARKER_PREFIX) this.#markers.see(content);
      else for (const listener of this.#messageListeners.get(prefix)) listener(content, () => this.#whenVisible(xid));
    }
  }
}

/** Returns a function that removes the listener. */
function listen<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** A truncated access table makes the cached access wrong, so the feed restarts and loads it again. */
function rejectTruncation({ truncated }: Transaction): void {
  const table = truncated.find(
    ({ schema, name }) => schema === "auth" || (schema === "public" && (name === "swarm_members" || name === "agents")),
  );
  if (table !== undefined) throw new Error(`${table.name} was truncated`);
}
