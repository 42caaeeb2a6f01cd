import { DELIVERY_STATUSES, isAppEventType, isEventType, isUuid } from "@swarmbase/sdk";
import type { DeliveryFilter } from "../../../data/deliveries.ts";

/** Ids of events and messages have a prefix in the envelope and in the headers. */
const PREFIX = /^(?:evt|msg)_/u;

/** Filters are in the URL, so that the view can be shared as a link. */
export function readFilter(webhookId: string, params: URLSearchParams): DeliveryFilter {
  const type = params.get("type");
  return {
    webhookId,
    status: DELIVERY_STATUSES.find((status) => status === params.get("status")) ?? null,
    type: isEventType(type) || isAppEventType(type) ? type : null,
    since: readLocalTime(params.get("from")),
    until: readLocalTime(params.get("to")),
    id: readId(params.get("q") ?? ""),
  };
}

/** The UUID that a text names; null if it names none. */
export function readId(text: string): string | null {
  const id = text.trim().replace(PREFIX, "").toLowerCase();
  return isUuid(id) ? id : null;
}

/** A time of the user's time zone, as date fields have it, in ISO 8601. */
export function readLocalTime(text: string | null): string | null {
  const time = new Date(text ?? "");
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}
