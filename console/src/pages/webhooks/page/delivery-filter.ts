import { DELIVERY_STATUSES, isEventType } from "@swarmbase/sdk";
import type { DeliveryFilter } from "../../../data/deliveries.ts";

/** Filters live in the address, so that what one sees can be sent to somebody. */
export function readFilter(webhookId: string, params: URLSearchParams): DeliveryFilter {
  const type = params.get("type");
  return {
    webhookId,
    status: DELIVERY_STATUSES.find((status) => status === params.get("status")) ?? null,
    type: isEventType(type) ? type : null,
  };
}
