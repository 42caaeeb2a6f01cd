// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { EventFault } from "../event-types/shared.ts";
import type { Json } from "../json.ts";

export type TriggerCallsTable = {
  Row: {
    id: string;
    trigger_id: string;
    user_id: string;
    event_id: string;
    event_type: string | null;
    payload: Json;
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
    error: EventFault | null;
    run_id: string | null;
    swarm_id: string | null;
    depth: number;
    replays: string | null;
    retry_at: string | null;
    created_at: string;
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
