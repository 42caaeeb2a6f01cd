import type { ClaimedDelivery } from "../delivery.ts";
import type { Refund } from "../sql/send-windows.ts";

/** A delivery under a lease of this process. Times are in milliseconds of the monotonic clock. */
export interface HeldDelivery extends ClaimedDelivery {
  readonly claim: string;
  /** Cancels the requests of all deliveries of the claim. */
  readonly cancel: AbortController;
  /** End of the send window. A delivery that is not sent by then must be claimed and counted again. */
  readonly sendUntilMs: number;
  /** From then on another node may claim it. */
  leasedUntilMs: number;
  /** Whether the request was started, so that its send is not refunded. */
  isSent: boolean;
  state: "waiting" | "parked" | "sending" | "recording" | "dropped";
}

/** The sends that were counted for these deliveries but not made, by user and window, without windows that have ended. */
export function findRefunds(released: readonly HeldDelivery[]): Refund[] {
  const refunds = new Map<string, Refund>();
  for (const { userId, windowOpenedAt, sendUntilMs, isSent } of released) {
    if (windowOpenedAt === null || isSent || performance.now() >= sendUntilMs) continue;
    const key = `${userId} ${windowOpenedAt}`;
    refunds.set(key, { userId, windowOpenedAt, sends: (refunds.get(key)?.sends ?? 0) + 1 });
  }
  return [...refunds.values()];
}
