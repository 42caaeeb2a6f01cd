import { isUuid } from "@swarmbase/sdk";
import type { Principal } from "../../db/index.ts";
import type { Binding, ChangesSubscriber } from "../changes.ts";
import type { OrderedQueue } from "./ordered-queue.ts";
import type { RowFilter } from "./filters/compile-filter.ts";

/** A subscriber in the binding index. */
export interface Subscription {
  readonly subscriber: ChangesSubscriber;
  readonly bindings: readonly PreparedBinding[];
  identity: Identity;
  /** True from the moment that the feed has passed the subscribe call. */
  isLive: boolean;
  isClosed: boolean;
  /** The transaction of the last delivered change. */
  lastXid: number | null;
  /** Ends the subscription with a reason; its client has to subscribe again. */
  lose(reason: string): void;
}

/** `select` is null for all columns. */
export interface PreparedBinding extends Omit<Binding, "filter"> {
  readonly filterText: string;
  readonly filter: RowFilter | null;
}

/** Bindings of one table with the same event and filter. */
export interface BindingGroup {
  readonly event: PreparedBinding["event"];
  readonly filter: RowFilter | null;
  /** By role, then by user id (`""` for principals without one), then by identity. */
  readonly members: Map<string, Map<string, Map<Identity, Map<Subscription, PreparedBinding[]>>>>;
}

/** All principals that row-level policies cannot distinguish. Each row is checked once for all of them. */
export interface Identity {
  readonly key: string;
  readonly principal: Principal;
  /** In lower case, as PostgreSQL writes it; null for a principal without a user. */
  readonly userId: string | null;
  readonly queue: OrderedQueue;
  subscriptions: number;
}

const keys = new WeakMap<object, string>();

/** Policies may use any claim, so principals are the same only when all their claims are. */
export function identityKey({ role, claims }: Principal): string {
  let text = keys.get(claims);
  if (text === undefined) {
    text = JSON.stringify(claims);
    keys.set(claims, text);
  }
  return `${role} ${text}`;
}

/** From the claim that auth.uid() reads. */
export function userIdOf({ claims }: Principal): string | null {
  const { sub } = claims;
  return isUuid(sub) ? sub.toLowerCase() : null;
}
