// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { DeliveryStatus } from "../deliveries.ts";
import type { AppEventType, EventType, SwarmbaseEvent } from "../events.ts";

/** One row for each event and webhook: what is sent, and the last response. */
export type WebhookDeliveriesTable = {
  Row: {
    /** The id, a UUID that sorts by time. */
    id: string;
    /** The webhook. */
    webhook_id: string;
    /** The owner of the webhook. */
    user_id: string;
    /** The event; the body has it as `evt_<uuid>`. */
    event_id: string;
    /** The type of the event. */
    event_type: EventType | AppEventType;
    /** The body that is sent. */
    payload: SwarmbaseEvent;
    /** `retrying` waits for another attempt. */
    status: DeliveryStatus;
    /** The HTTP status of the last response; null without one. */
    status_code: number | null;
    /** The start of the last response, at most 64 KiB. */
    response_body: string | null;
    /** Requests so far. */
    attempts: number;
    /** When the next attempt is due. */
    next_retry_at: string | null;
    /** When the endpoint accepted the event. */
    delivered_at: string | null;
    /** When the row was created. A sent value is ignored. */
    created_at: string;
    /** When a delivery that waits for the limit per minute is sent. */
    scheduled_for: string | null;
  };
  Insert: never;
  Update: never;
  Relationships: [
    {
      foreignKeyName: "webhook_deliveries_webhook_id_fkey";
      columns: ["webhook_id", "user_id"];
      isOneToOne: false;
      referencedRelation: "webhooks";
      referencedColumns: ["id", "user_id"];
    },
  ];
};
