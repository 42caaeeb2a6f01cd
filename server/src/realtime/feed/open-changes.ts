import { randomBytes } from "node:crypto";
import type { Database } from "../../db/index.ts";
import type { Observer } from "../../observe/index.ts";
import type { Clock } from "../../time/index.ts";
import { findEndedSessions } from "../access/find-ended-sessions.ts";
import type { Changes, SessionsEnded } from "../changes.ts";
import { Subscriptions } from "../visibility/subscriptions/subscriptions.ts";
import { Emitter } from "./emitter.ts";
import { Feed } from "./feed.ts";
import { MARKER_PREFIX, Markers } from "./markers.ts";
import type { Transaction } from "./row-change.ts";
import { subscribeWhenLive } from "./subscribe-when-live.ts";

export interface ChangesSettings {
  /** The search path for unqualified names in policies. */
  readonly schemas: readonly string[];
  readonly policyTimeoutMs: number;
  readonly maxConcurrentPolicies: number;
  readonly maxWaitingPerIdentity: number;
  /** A change whose JSON is larger omits its long values. */
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
  /** A direct connection to the server as the login with the REPLICATION attribute. */
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

  const deliverMessages = ({ messages }: Transaction): void => {
    for (const { prefix, content } of messages) {
      if (prefix === MARKER_PREFIX) markers.see(content);
      else for (const listener of listeners.get(prefix) ?? []) listener(content);
    }
  };
  const onTransaction = (transaction: Transaction): Promise<void> | void => {
    rejectTruncation(transaction);
    const ended = findEndedSessions(transaction.changes, clock.now());
    if (ended !== null) {
      subscriptions.end(ended);
      for (const listener of sessionListeners) listener(ended);
    }
    const routed = subscriptions.route(transaction);
    return routed === undefined ? deliverMessages(transaction) : routed.then(() => deliverMessages(transaction));
  };
  const feed = new Feed({
    url: options.directUrl,
    pool: database.service,
    observer,
    limits: settings,
    random,
    isWanted: subscriptions.isWanted,
    onRelation: () => subscriptions.clearTables(),
    onTransaction,
    onLost: (reason) => {
      markers.clear();
      subscriptions.loseAll(reason);
    },
  });

  return {
    subscribe: (subscriber, signal) => subscribeWhenLive({ feed, markers, subscriptions }, subscriber, signal),
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

/** A truncated access table makes the cached access wrong, so the feed restarts and loads it again. */
function rejectTruncation({ truncated }: Transaction): void {
  const table = truncated.find(
    ({ schema, name }) => schema === "auth" || (schema === "public" && (name === "swarm_members" || name === "agents")),
  );
  if (table !== undefined) throw new Error(`${table.name} was truncated`);
}
