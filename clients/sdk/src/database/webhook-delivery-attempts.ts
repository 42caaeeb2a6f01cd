// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
/** Every request that was made for a delivery. */
export type WebhookDeliveryAttemptsTable = {
  Row: {
    /** The id, a UUID that sorts by time. */
    id: string;
    /** The delivery. */
    delivery_id: string;
    /** The webhook. */
    webhook_id: string;
    /** The owner of the webhook. */
    user_id: string;
    /** The number of the attempt. */
    attempt: number;
    /** What caused the request. All attempts of a test, and those of its replays, have the cause `test`. */
    cause: "schedule" | "manual" | "test" | "replay";
    /** Where it was sent. */
    url: string;
    /** The HTTP status; null without a response. */
    status_code: number | null;
    /** A short name of the failure, such as `timeout` or `reset`. */
    error_code: string | null;
    /** The failure in words. */
    error: string | null;
    /** The start of the response, at most 64 KiB. */
    response_body: string | null;
    /** The response was longer. */
    response_truncated: boolean;
    /** Milliseconds until the response was complete. */
    response_time_ms: number | null;
    /** When the row was created. A sent value is ignored. */
    created_at: string;
    /** The outcome for the delivery. */
    outcome: "delivered" | "retrying" | "failed" | null;
  };
  Insert: never;
  Update: never;
  Relationships: [
    {
      foreignKeyName: "webhook_delivery_attempts_webhook_id_fkey";
      columns: ["webhook_id", "user_id"];
      isOneToOne: false;
      referencedRelation: "webhooks";
      referencedColumns: ["id", "user_id"];
    },
  ];
};
