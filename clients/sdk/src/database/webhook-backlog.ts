// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
export type WebhookBacklogView = {
  Row: {
    webhook_id: string;
    pending: number;
    retrying: number;
    skipped: number;
  };
  Relationships: [];
};
