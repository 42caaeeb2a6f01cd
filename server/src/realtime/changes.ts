import type { Principal } from "../db/index.ts";
import type { Worker } from "../jobs/index.ts";

/** One entry of a channel's `postgres_changes`. `*` stands for every schema or table. */
export interface Binding {
  readonly id: number;
  readonly event: "*" | "INSERT" | "UPDATE" | "DELETE";
  readonly schema: string;
  readonly table: string;
  readonly filter: string | null;
  readonly select: readonly string[] | null;
}

export interface ChangesSubscriber {
  readonly principal: Principal;
  readonly bindings: readonly Binding[];
  /** Delivers a change for the ids of the matched bindings. `data` is the JSON of the payload's `data`, shared by all equal views. */
  deliver(ids: readonly number[], data: string): void;
  /** Whether the client reads more slowly than changes arrive. Large transactions wait for it for a short time. */
  isBehind?(): boolean;
  /** Ends the subscription because the feed is lost or a policy fails. The client has to subscribe again. */
  lose(reason: string): void;
}

export interface SubscriptionHandle {
  /** Delivers what this principal may see from now on. For a new token of the same user. */
  update(principal: Principal): void;
  close(): void;
}

export interface SessionsEnded {
  readonly sessionIds: readonly string[];
  readonly userIds: readonly string[];
}

/** Topics whose private channels have to be checked again: those of these users, or all when null. `all`: all topics. */
export type AccessChanges = ReadonlyMap<string, ReadonlySet<string> | null> | "all";

export interface Changes {
  /** Throws AppError for a bad filter, table or select. Resolves when all later commits will be delivered. */
  subscribe(subscriber: ChangesSubscriber, signal: AbortSignal): Promise<SubscriptionHandle>;
  /** Sends a message to all nodes; resolves when it is in the WAL. */
  emit(prefix: string, content: Buffer): Promise<void>;
  /**
   * Messages of all nodes, including this one, in WAL order. `whenVisible` resolves once queries see what the sending transaction wrote.
   * Returns a function that removes the listener.
   */
  onMessage(prefix: string, listener: (content: Buffer, whenVisible: () => Promise<void>) => void): () => void;
  /** Sign-outs, bans and deletions of accounts from the feed. */
  onSessionsEnded(listener: (ended: SessionsEnded) => void): () => void;
  /** Updates of sessions, one of which may have lost its second factor. `whenVisible` resolves once queries see them. */
  onSessionsUpdated(listener: (sessionIds: readonly string[], whenVisible: () => Promise<void>) => void): () => void;
  /** Changes of memberships and of policies, and calls of `realtime.recheck`, once queries see them. */
  onAccessChanged(listener: (changes: AccessChanges) => void): () => void;
  readonly state: () => "live" | "connecting" | "unavailable";
  /** How often the feed has become live. With every time, changes may have been missed, however short the interruption. */
  readonly liveCount: () => number;
  /** Why the feed is not live; null while it is. */
  readonly reason: () => string | null;
  /** The lag of the feed at its last measurement; null while it is not live. */
  readonly lagBytes: () => number | null;
  readonly worker: Worker;
}
