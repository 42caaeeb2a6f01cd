// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
/** How many deliveries wait for each of your webhooks, and how many events its filter has skipped. */
export type WebhookBacklogView = {
  Row: {
    /** The webhook. */
    webhook_id: string;
    /** Deliveries without an attempt, 10,000 at most together with `retrying`. */
    pending: number;
    /** Deliveries that wait for another attempt. */
    retrying: number;
    /** Events that the filter of the webhook did not let pass. */
    skipped: number;
  };
  Relationships: [];
};
