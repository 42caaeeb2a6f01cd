import { DELIVERY_STATUSES, isEventType } from "@swarmbase/sdk";
import type { DeliveryFilter } from "../../../data/deliveries.ts";

/** Filters are in the URL, so that the view can be shared as a link. */
export function readFilter(webhookId: string, params: URLSearchParams): DeliveryFilter {
  const type = params.get("type");
  return {
    webhookId,
    status: DELIVERY_STATUSES.find((status) => status === params.get("status")) ?? null,
    type: isEventType(type) ? type : null,
  };
}
