// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { EventFault } from "../event-types/shared.ts";
import type { Json } from "../json.ts";

/** Calls of triggers: what other systems have sent, and what came of it. */
export type TriggerCallsTable = {
  Row: {
    /** The id, a UUID that sorts by time. */
    id: string;
    /** The trigger. */
    trigger_id: string;
    /** The owner of the trigger. */
    user_id: string;
    /** The id of the event; a digest of the body where the sender signs none. */
    event_id: string;
    /** The type of the event, where the sender names one. */
    event_type: string | null;
    /** The body, or the fields of a form. */
    payload: Json;
    /** `waiting` for a limit of the owner; `started`, then the status of the run, or `deleted` with it; `rejected` if the owner may not start the run; `loop_detected` if runs of triggers led to the call. */
    status:
      | "waiting"
      | "started"
      | "completed"
      | "partial"
      | "failed"
      | "cancelled"
      | "deleted"
      | "rejected"
      | "loop_detected";
    /** `code` and `message` of what the call waits for, or of why there is no answer. */
    error: EventFault | null;
    /** The run. */
    run_id: string | null;
    /** The conversation of the run. */
    swarm_id: string | null;
    /** How many runs of triggers, one after the other, led to the call. */
    depth: number;
    /** The call whose payload was sent again. */
    replays: string | null;
    /** When a call that waits is tried again. */
    retry_at: string | null;
    /** When the row was created. A sent value is ignored. */
    created_at: string;
    /** When the run ended, or the call without one. */
    finished_at: string | null;
  };
  Insert: never;
  Update: never;
  Relationships: [
    {
      foreignKeyName: "trigger_calls_trigger_id_fkey";
      columns: ["trigger_id", "user_id"];
      isOneToOne: false;
      referencedRelation: "triggers";
      referencedColumns: ["id", "user_id"];
    },
  ];
};
