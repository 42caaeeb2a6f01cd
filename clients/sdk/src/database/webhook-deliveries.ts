// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { DeliveryStatus } from "../deliveries.ts";
import type { AppEventType, EventType, SwarmbaseEvent } from "../events.ts";

export type WebhookDeliveriesTable = {
  Row: {
    id: string;
    webhook_id: string;
    user_id: string;
    event_id: string;
    event_type: EventType | AppEventType;
    payload: SwarmbaseEvent;
    status: DeliveryStatus;
    status_code: number | null;
    response_body: string | null;
    attempts: number;
    next_retry_at: string | null;
    delivered_at: string | null;
    created_at: string;
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
