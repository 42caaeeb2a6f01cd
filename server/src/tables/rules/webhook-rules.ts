import { API_VERSIONS, EVENT_TYPES, FIELD_BOUNDS, isAppEventType, isEventType } from "@swarmbase/sdk";
import { type Fault, FINE, fault, filledIn, nullable, type Row, type Value, valueOf } from "../fields/field.ts";
import { jsonObject, list } from "../fields/json-field.ts";
import { boolean, integer, timestamp } from "../fields/plain-fields.ts";
import { anyText, choice, text, trimmedText } from "../fields/text-field.ts";
import { uuid } from "../fields/uuid-field.ts";
import { checkDeliveryHeaders } from "./check-delivery-headers.ts";
import { type RowFault, rowFault, type TableRule, tableRule } from "./table-rule.ts";
import type { FindUrlFault } from "./find-webhook-url-fault.ts";

export const SECRET_IS_MANAGED = "is made by the service; use regenerate_secret to replace it";

export function webhookRule(findUrlFault: FindUrlFault): TableRule {
  return tableRule({
    name: "webhooks",
    required: ["name", "url", "events"],
    requiredOfService: ["user_id"],
    ignored: ["created_at", "updated_at"],
    checkNewRow: checkSecret,
    fields: {
      id: uuid(),
      user_id: uuid(),
      name: trimmedText("webhooks.name"),
      url: text({ min: 0, max: FIELD_BOUNDS["webhooks.url"].max }, (url) => {
        const message = findUrlFault(url);
        return message === null ? FINE : fault(message, "INVALID_URL");
      }),
      secret: filledIn(anyText()),
      events: list(checkEvents),
      is_active: boolean(),
      receives_app_events: boolean(),
      // The database knows the language of filters.
      filter: nullable(jsonObject("webhooks.filter")),
      headers: jsonObject("webhooks.headers", checkDeliveryHeaders),
      retry_count: integer("webhooks.retry_count"),
      timeout_ms: integer("webhooks.timeout_ms"),
      api_version: choice(API_VERSIONS),
      run_id: nullable(uuid()),
      bodies: nullable(jsonObject("webhooks.bodies")),
      disabled_reason: nullable(anyText()),
      disabled_at: nullable(timestamp()),
    },
  });
}

export const EVENT_FEEDS: TableRule = tableRule({
  name: "event_feeds",
  required: ["name", "events"],
  requiredOfService: ["user_id"],
  ignored: ["created_at", "updated_at"],
  fields: {
    id: uuid(),
    user_id: uuid(),
    name: trimmedText("event_feeds.name"),
    events: list(checkEvents),
    filter: nullable(jsonObject("event_feeds.filter")),
    receives_app_events: boolean(),
    api_version: choice(API_VERSIONS),
  },
});

function checkEvents(events: readonly Value[]): readonly Fault[] {
  if (events.length === 0) return fault("must name at least one event type");
  if (events.some((event) => typeof event !== "string")) return fault("must be an array of strings");
  // Which types the app has, only the database knows.
  const unknown = events.filter((event) => !isEventType(event) && !isAppEventType(event));
  if (unknown.length === 0) return FINE;
  const named = unknown.slice(0, 5).map((event) => JSON.stringify(event).slice(0, 100));
  return fault(`has unknown event types: ${named.join(", ")}; known are ${EVENT_TYPES.join(", ")}`, "INVALID_EVENTS");
}

/** On an upsert or update the database compares it with the stored one. */
function checkSecret(row: Row): readonly RowFault[] {
  return (valueOf(row, "secret") ?? null) === null ? [] : rowFault("secret", SECRET_IS_MANAGED);
}
