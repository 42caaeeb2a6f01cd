import { DELIVERY_STATUSES, isAppEventType, isEventType, isUuid } from "@swarmbase/sdk";
import type { DeliveryFilter } from "../../../data/deliveries.ts";
import type { Filters } from "../../../components/use-filters.ts";

/** Ids of events and messages have a prefix in the envelope and in the headers. */
const PREFIX = /^(?:evt|msg)_/u;

export function readFilter(webhookId: string, { get, choice, range, debouncedSearch }: Filters): DeliveryFilter {
  const type = get("type");
  return {
    webhookId,
    status: choice("status", DELIVERY_STATUSES),
    type: isEventType(type) || isAppEventType(type) ? type : null,
    ...range,
    id: readId(debouncedSearch),
  };
}

/** The UUID that a text names; null if it names none. */
export function readId(text: string): string | null {
  const id = text.trim().replace(PREFIX, "").toLowerCase();
  return isUuid(id) ? id : null;
}
