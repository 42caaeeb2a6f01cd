import type { ChangesSubscriber } from "../../changes.ts";
import type { RowFilter } from "../filters/compile-filter.ts";
import type { Identity } from "./identity.ts";

/** A subscriber in the binding index. */
export interface Subscription {
  readonly subscriber: ChangesSubscriber;
  readonly bindings: readonly PreparedBinding[];
  identity: Identity;
  /** True from the moment that the feed has passed the subscribe call. */
  isLive: boolean;
  isClosed: boolean;
}

export interface PreparedBinding {
  readonly id: number;
  readonly event: "*" | "INSERT" | "UPDATE" | "DELETE";
  readonly schema: string;
  readonly table: string;
  readonly filterText: string;
  readonly filter: RowFilter | null;
  /** Null for all columns. */
  readonly select: readonly string[] | null;
}

/** Bindings of one table with the same event and filter. */
export interface BindingGroup {
  readonly event: PreparedBinding["event"];
  readonly filter: RowFilter | null;
  /** By role, then by user id (`""` for callers without one), then by identity. */
  readonly members: Map<string, Map<string, Map<Identity, Map<Subscription, PreparedBinding[]>>>>;
}
