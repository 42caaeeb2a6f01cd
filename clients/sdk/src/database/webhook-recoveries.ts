// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
export type WebhookRecoveriesTable = {
  Row: {
    id: string;
    webhook_id: string;
    user_id: string;
    since: string;
    until: string;
    status: "running" | "completed";
    found: number;
    recovered: number;
    last_delivery_id: string | null;
    created_at: string;
    updated_at: string;
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
