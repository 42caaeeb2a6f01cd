// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
export type WebhookDeliveryAttemptsTable = {
  Row: {
    id: string;
    delivery_id: string;
    webhook_id: string;
    user_id: string;
    attempt: number;
    cause: "schedule" | "manual" | "test" | "replay";
    url: string;
    status_code: number | null;
    error_code: string | null;
    error: string | null;
    response_body: string | null;
    response_truncated: boolean;
    response_time_ms: number | null;
    created_at: string;
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
