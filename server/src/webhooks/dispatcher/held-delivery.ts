import type { ClaimedDelivery } from "../sql/delivery-row.ts";

/** Deliveries of one claim. Their leases are renewed together, and one abort cancels all their requests. */
export interface ClaimedBatch {
  readonly claim: string;
  readonly cancel: AbortController;
}

/**
 * A delivery under a lease of this process: waiting to be sent, parked until it is released, being sent, or sent and not yet
 * recorded. Times are in milliseconds of the monotonic clock.
 */
export interface HeldDelivery extends ClaimedDelivery {
  readonly batch: ClaimedBatch;
  /** End of the send window. A delivery that is not sent by then must be claimed and counted again. */
  readonly sendUntilMs: number;
  /** From then on another node may claim it. */
  leasedUntilMs: number;
  /** Whether the request was started, so that its send is not refunded. */
  isSent: boolean;
  state: "waiting" | "parked" | "sending" | "recording" | "dropped";
}
