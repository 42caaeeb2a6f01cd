import type { ClaimedDelivery } from "../delivery.ts";
import type { Refund } from "../sql/send-windows.ts";

/**
 * A delivery under a lease of this process. Times are in milliseconds of the monotonic clock.
 *
 * waiting: in its queue. `takeNext` makes it sending; `park` makes it parked; it is dropped when its lease cannot be renewed.
 * sending: its request may be in flight. It ends recording with an outcome, and parked without one.
 * recording: its outcome waits to be written, and is written again until that succeeds or the lease has ended. Then it is dropped.
 * parked: it is not sent under this lease any more. It is dropped when the lease has been released, or could not be.
 * dropped: not held. Whoever claims the delivery next, here or elsewhere, holds another object.
 */
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

/** What holds the result of a claim that begins now. Lease and send window count from before its statement, so they never end too late. */
export function createHold(claim: string, leaseMs: number): (claimed: readonly ClaimedDelivery[]) => HeldDelivery[] {
  const [cancel, startedAtMs] = [new AbortController(), performance.now()];
  const leasedUntilMs = startedAtMs + leaseMs;
  return (claimed) =>
    claimed.map((one): HeldDelivery => {
      const sendUntilMs = startedAtMs + (one.windowLeftMs ?? Number.POSITIVE_INFINITY);
      return { ...one, claim, cancel, sendUntilMs, leasedUntilMs, isSent: false, state: "waiting" };
    });
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
