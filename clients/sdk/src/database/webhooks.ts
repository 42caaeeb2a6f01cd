// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { AppEventType, EventType } from "../events.ts";
import type { Json, JsonObject } from "../json.ts";

/** Where events are sent. */
export type WebhooksTable = {
  Row: {
    /** The id, a UUID that sorts by time. */
    id: string;
    /** The owner. It cannot change. */
    user_id: string;
    /** Spaces at both ends are removed. */
    name: string;
    /** An `https` URL that the operator's address policy permits. */
    url: string;
    /** The key of the signatures. */
    secret: string;
    /** The event types to send; those of the app are rows of `event_types`. */
    events: (EventType | AppEventType)[];
    /** If false, the service sends nothing, and holds waiting deliveries. */
    is_active: boolean;
    /** Headers of every request. Those that the service sets itself are not allowed. */
    headers: Record<string, string>;
    /** Attempts after the first one. */
    retry_count: number;
    /** The time limit of one attempt. */
    timeout_ms: number;
    /** The version of the bodies, fixed when the webhook is created. The only one so far is `2026-11-15`. */
    api_version: string;
    /** Why the service disabled the webhook: `endpoint_gone`, `endpoint_failing`, `queue_full`, `account_banned` or `access_removed`. */
    disabled_reason: string | null;
    /** When the service disabled the webhook. */
    disabled_at: string | null;
    /** When the row was created. A sent value is ignored. */
    created_at: string;
    /** When the row changed last. A sent value is ignored. */
    updated_at: string;
    /** Only events of this run are sent; null for all. The webhook is deleted an hour after the run has ended. Fixed when the webhook is created. */
    run_id: string | null;
    /** For a webhook of a run: what is sent for `run.updated` in place of the envelope, by the status of the run. Fixed when the webhook is created. */
    bodies: Json | null;
    /** Whether events of the app that name neither a user nor a swarm are sent. Only the service role sets it. */
    receives_app_events: boolean;
    /** Conditions on the envelope, as a JSON object. Events that do not meet them are not sent, and counted in `webhook_backlog`. Null, or an empty object: all are sent. */
    filter: JsonObject | null;
  };
  Insert: {
    /** The id, a UUID that sorts by time. */
    id?: string;
    /** The owner. It cannot change. */
    user_id?: string;
    /** Spaces at both ends are removed. */
    name: string;
    /** An `https` URL that the operator's address policy permits. */
    url: string;
    /** The event types to send; those of the app are rows of `event_types`. */
    events: (EventType | AppEventType)[];
    /** If false, the service sends nothing, and holds waiting deliveries. */
    is_active?: boolean;
    /** Headers of every request. Those that the service sets itself are not allowed. */
    headers?: Record<string, string>;
    /** Attempts after the first one. */
    retry_count?: number;
    /** The time limit of one attempt. */
    timeout_ms?: number;
    /** Only events of this run are sent; null for all. The webhook is deleted an hour after the run has ended. Fixed when the webhook is created. */
    run_id?: string | null;
    /** For a webhook of a run: what is sent for `run.updated` in place of the envelope, by the status of the run. Fixed when the webhook is created. */
    bodies?: Json | null;
    /** Conditions on the envelope, as a JSON object. Events that do not meet them are not sent, and counted in `webhook_backlog`. Null, or an empty object: all are sent. */
    filter?: JsonObject | null;
  };
  Update: {
    /** Spaces at both ends are removed. */
    name?: string;
    /** An `https` URL that the operator's address policy permits. */
    url?: string;
    /** The event types to send; those of the app are rows of `event_types`. */
    events?: (EventType | AppEventType)[];
    /** If false, the service sends nothing, and holds waiting deliveries. */
    is_active?: boolean;
    /** Headers of every request. Those that the service sets itself are not allowed. */
    headers?: Record<string, string>;
    /** Attempts after the first one. */
    retry_count?: number;
    /** The time limit of one attempt. */
    timeout_ms?: number;
    /** Conditions on the envelope, as a JSON object. Events that do not meet them are not sent, and counted in `webhook_backlog`. Null, or an empty object: all are sent. */
    filter?: JsonObject | null;
  };
  Relationships: [
    {
      foreignKeyName: "webhooks_run_id_fkey";
      columns: ["run_id"];
      isOneToOne: false;
      referencedRelation: "runs";
      referencedColumns: ["id"];
    },
  ];
};
