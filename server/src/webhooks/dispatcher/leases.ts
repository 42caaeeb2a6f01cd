import { setTimeout as sleep } from "node:timers/promises";
import { renewLeases } from "../sql/renew-leases.ts";
import type { WebhookTools } from "../webhook-options.ts";
import type { HeldDelivery } from "./held-delivery.ts";
import type { Lanes } from "./lanes.ts";

const RENEWALS_PER_LEASE = 6;
/** A request is broken off this share of the lease before the lease ends, so that two never run at the same time. */
const SAFETY_SHARE = 0.1;

/** Keeps the leases of held deliveries alive until the signal; what can no longer be kept is broken off and let go. */
export async function keepLeases(
  { pool, observer }: WebhookTools,
  lanes: Lanes,
  leaseMs: number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await sleep(leaseMs / RENEWALS_PER_LEASE, undefined, { signal }).catch(() => {});
    const ageing = lanes
      .held()
      .filter(({ leasedUntilMs }) => leasedUntilMs - performance.now() < leaseMs * (1 - 1 / (RENEWALS_PER_LEASE + 1)));
    if (ageing.length === 0) continue;
    const askedAtMs = performance.now();
    try {
      const renewed = await renewLeases(pool, ageing.map(toLeaseKey), leaseMs);
      for (const held of ageing) {
        if (renewed.has(held.delivery.id)) held.leasedUntilMs = askedAtMs + leaseMs;
        // Recorded while it was being asked about, which ends the lease too.
        else if (held.state !== "dropped" && held.state !== "recording") letGo(held, lanes);
      }
    } catch (error) {
      observer.note("webhook.renewal_failed", { deliveries: ageing.length, error });
    }
    for (const held of lanes.held()) if (!isLeaseSafe(held, leaseMs)) letGo(held, lanes);
  }
}

export function isLeaseSafe({ leasedUntilMs }: HeldDelivery, leaseMs: number): boolean {
  return leasedUntilMs - performance.now() > leaseMs * SAFETY_SHARE;
}

/** What waits is forgotten, what is being sent is broken off; a batch is claimed and renewed as one, so it ends as one. */
function letGo(held: HeldDelivery, lanes: Lanes): void {
  if (held.state === "waiting") lanes.remove(held);
  else if (held.state === "sending") held.batch.broken.abort();
}

function toLeaseKey({ delivery, batch }: HeldDelivery): { deliveryId: string; claim: string } {
  return { deliveryId: delivery.id, claim: batch.claim };
}
