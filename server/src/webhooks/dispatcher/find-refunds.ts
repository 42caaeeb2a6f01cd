import type { Refund } from "../sql/send-windows.ts";
import type { HeldDelivery } from "./held-delivery.ts";

/** The sends that were counted for these deliveries but not made, by user and window, without windows that have ended. */
export function findRefunds(released: readonly HeldDelivery[]): Refund[] {
  const refunds = new Map<string, Refund>();
  for (const { delivery, sendWindow, sendUntilMs, isSent } of released) {
    if (sendWindow === null || isSent || performance.now() >= sendUntilMs) continue;
    const { userId } = delivery;
    const { openedAt: windowOpenedAt } = sendWindow;
    const key = `${userId} ${windowOpenedAt}`;
    refunds.set(key, { userId, windowOpenedAt, sends: (refunds.get(key)?.sends ?? 0) + 1 });
  }
  return [...refunds.values()];
}
