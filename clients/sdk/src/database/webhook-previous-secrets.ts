// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
export type WebhookPreviousSecretsView = {
  Row: {
    id: string;
    webhook_id: string;
    created_at: string;
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
