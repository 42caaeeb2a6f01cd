// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
/** Replaced secrets that still sign deliveries. */
export type WebhookPreviousSecretsView = {
  Row: {
    /** The id, a UUID that sorts by time. */
    id: string;
    /** The webhook. */
    webhook_id: string;
    /** When the secret was replaced. */
    created_at: string;
    /** When the secret stops signing. */
    expires_at: string;
  };
  Relationships: [
    {
      foreignKeyName: "webhook_previous_secrets_webhook_id_fkey";
      columns: ["webhook_id"];
      isOneToOne: false;
      referencedRelation: "webhook_backlog";
      referencedColumns: ["webhook_id"];
    },
    {
      foreignKeyName: "webhook_previous_secrets_webhook_id_fkey";
      columns: ["webhook_id"];
      isOneToOne: false;
      referencedRelation: "webhooks";
      referencedColumns: ["id"];
    },
  ];
};
