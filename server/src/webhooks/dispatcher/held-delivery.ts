import type { Delivery } from "../delivery.ts";
import type { SendWindow } from "../sql/delivery-row.ts";

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
  /** The window in which its send was counted; null without a limit. */
  readonly sendWindow: SendWindow | null;
  /** The end of that window by the monotonic clock of this process. After it the delivery must be counted again. */
  readonly sendUntilMs: number;
  /** By the monotonic clock of this process; from then on somebody else may send it. */
  leasedUntilMs: number;
  /** Whether the request was started, so that the send is used up. */
  isSent: boolean;
  state: "waiting" | "aside" | "sending" | "recording" | "dropped";
}
