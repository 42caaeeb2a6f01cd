import type { ChangesSubscriber } from "../changes.ts";
import type { Identity } from "./identity.ts";
import type { RowFilter } from "./compile-filter.ts";

/** A subscriber with its place in the index. */
export interface Seat {
  readonly subscriber: ChangesSubscriber;
  readonly bindings: readonly SeatBinding[];
  identity: Identity;
  /** Set once the feed has passed the moment of subscribing. */
  isLive: boolean;
  isGone: boolean;
}

export interface SeatBinding {
  readonly id: number;
  readonly event: "*" | "INSERT" | "UPDATE" | "DELETE";
  readonly schema: string;
  readonly table: string;
  readonly filterText: string;
  readonly filter: RowFilter | null;
  /** Null for all columns. */
  readonly select: readonly string[] | null;
}

/** Bindings that ask the same question. */
export interface Group {
  readonly event: SeatBinding["event"];
  readonly filter: RowFilter | null;
  /** By role, then by user (`""` for nobody in particular), then by identity. */
  readonly audience: Map<string, Map<string, Map<Identity, Map<Seat, SeatBinding[]>>>>;
}
