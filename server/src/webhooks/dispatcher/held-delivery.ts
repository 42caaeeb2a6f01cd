import type { Delivery } from "../delivery.ts";

/** Deliveries that were claimed together: their leases live and die together, and so do their requests. */
export interface ClaimedBatch {
  readonly claim: string;
  readonly broken: AbortController;
}

/** A delivery under our lease: waiting to be sent or to be given back, being sent, or sent and not yet recorded. */
export interface HeldDelivery {
  readonly delivery: Delivery;
  readonly batch: ClaimedBatch;
  /** When it was due before it was claimed. */
  readonly runAt: string;
  /** By the monotonic clock of this process; from then on somebody else may send it. */
  leasedUntilMs: number;
  state: "waiting" | "aside" | "sending" | "recording" | "dropped";
}
