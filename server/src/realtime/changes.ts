import type { Principal } from "../db/index.ts";
import type { Worker } from "../jobs/index.ts";

/** One entry of a channel's `postgres_changes`, as the client asked for it; `*` stands for every schema or table. */
export interface Binding {
  readonly id: number;
  readonly event: "*" | "INSERT" | "UPDATE" | "DELETE";
  readonly schema: string;
  readonly table: string;
  readonly filter: string | null;
  readonly select: readonly string[] | null;
}

export interface ChangesSubscriber {
  readonly caller: Principal;
  readonly bindings: readonly Binding[];
  /** One change for the bindings (ids) it matched. `data` is the JSON text of the payload's `data`, made once for all who see the same. */
  deliver(ids: readonly number[], data: string): void;
  /** The feed is lost, or this subscriber's own policy fails: nothing more comes, and it has to subscribe again. */
  lose(reason: string): void;
}

export interface SubscriptionHandle {
  /** Another token of the same channel: what is delivered from now on is what this caller may see. */
  update(caller: Principal): void;
  close(): void;
}

export interface SessionsEnded {
  readonly sessionIds: readonly string[];
  readonly userIds: readonly string[];
}

export interface Changes {
  /** Throws AppError for a bad filter, table or select. Resolves only when every change committed from then on will be seen. */
  subscribe(subscriber: ChangesSubscriber, signal: AbortSignal): Promise<SubscriptionHandle>;
  /** A message to all nodes; resolves when it is in the WAL. */
  emit(prefix: string, content: Buffer): Promise<void>;
  /** Messages of all nodes, this one included, in the order of the WAL. Answers with the way to stop. */
  onMessage(prefix: string, listener: (content: Buffer) => void): () => void;
  /** Sign-outs, bans and deletions as the feed tells them: these lose their access at once. */
  onSessionsEnded(listener: (ended: SessionsEnded) => void): () => void;
  readonly state: () => "live" | "connecting" | "unavailable";
  /** Why the state is what it is, when it is not live. */
  readonly reason: () => string | null;
  /** How far the feed was behind when it was last looked at; null while it is not live. */
  readonly lagBytes: () => number | null;
  readonly worker: Worker;
}
