// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
/** Repetitions of all failed deliveries of a period. */
export type WebhookRecoveriesTable = {
  Row: {
    /** The id, a UUID that sorts by time. */
    id: string;
    /** The webhook. */
    webhook_id: string;
    /** The owner of the webhook. */
    user_id: string;
    /** The start of the period. */
    since: string;
    /** The end of the period. */
    until: string;
    /** Whether the recovery is still in progress. */
    status: "running" | "completed";
    /** The number of failed deliveries when the recovery began. */
    found: number;
    /** The number of these that wait for delivery again. */
    recovered: number;
    /** How far the recovery is. */
    last_delivery_id: string | null;
    /** When the row was created. A sent value is ignored. */
    created_at: string;
    /** When the row changed last. A sent value is ignored. */
    updated_at: string;
    /** When it ended. */
    completed_at: string | null;
  };
  Insert: never;
  Update: never;
  Relationships: [
    {
      foreignKeyName: "webhook_recoveries_webhook_id_fkey";
      columns: ["webhook_id", "user_id"];
      isOneToOne: false;
      referencedRelation: "webhooks";
      referencedColumns: ["id", "user_id"];
    },
  ];
};
