import { setTimeout as sleep } from "node:timers/promises";
import { renewDeliveryLeases } from "../sql/leases.ts";
import type { WebhookTools } from "../webhook-options.ts";
import type { EndpointQueues } from "./endpoint-queues.ts";
import type { HeldDelivery } from "./held-delivery.ts";

const RENEWALS_PER_LEASE = 6;
/** A request is cancelled this share of the lease before the lease expires, so that two nodes never send at the same time. */
const SAFETY_SHARE = 0.1;

/** Renews the leases of held deliveries until the signal aborts, and drops deliveries whose lease cannot be renewed. */
export async function keepLeases(
  { pool, observer }: WebhookTools,
  queues: EndpointQueues,
  leaseMs: number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await sleep(leaseMs / RENEWALS_PER_LEASE, undefined, { signal }).catch(() => {});
    const ageing = queues
      .held()
      .filter(({ leasedUntilMs }) => leasedUntilMs - performance.now() < leaseMs * (1 - 1 / (RENEWALS_PER_LEASE + 1)));
    if (ageing.length === 0) continue;
    const startedAtMs = performance.now();
    try {
      const renewed = await renewDeliveryLeases(pool, ageing, leaseMs);
      for (const held of ageing) {
        if (renewed.has(held.id)) held.leasedUntilMs = startedAtMs + leaseMs;
        // A delivery that was recorded during the renewal has no lease any more.
        else if (held.state !== "dropped" && held.state !== "recording") drop(held, queues);
      }
    } catch (error) {
      observer.note("webhook.renewal_failed", { deliveries: ageing.length, error });
    }
    for (const held of queues.held()) if (!isLeaseSafe(held, leaseMs)) drop(held, queues);
  }
}

export function isLeaseSafe({ leasedUntilMs }: HeldDelivery, leaseMs: number): boolean {
  return leasedUntilMs - performance.now() > leaseMs * SAFETY_SHARE;
}

/** Cancels all requests of the claim when the delivery is being sent: its deliveries were claimed and are renewed together. */
function drop(held: HeldDelivery, queues: EndpointQueues): void {
  if (held.state === "waiting") queues.remove(held);
  else if (held.state === "sending") held.cancel.abort();
}
