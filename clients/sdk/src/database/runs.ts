// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { EventFault, EventUsage } from "../event-types/shared.ts";
import type { PendingWait } from "../function-types/run-answers.ts";
import type { JsonObject } from "../json.ts";
import type { RunStatus, RunStopReason } from "../runs.ts";
import type { SwarmStrategy } from "../swarms.ts";

export type RunsTable = {
  Row: {
    id: string;
    swarm_id: string;
    user_id: string | null;
    client_id: string | null;
    message_id: string | null;
    status: RunStatus;
    stop_reason: RunStopReason | null;
    strategy: SwarmStrategy;
    request: JsonObject;
    cause: JsonObject | null;
    error: EventFault | null;
    usage: EventUsage | null;
    turn_count: number;
    queued_at: string;
    started_at: string | null;
    finished_at: string | null;
    created_at: string;
    pending_waits: PendingWait[] | null;
    can_continue: boolean;
  };
  Insert: never;
  Update: never;
  Relationships: [
    {
      foreignKeyName: "runs_message_id_fkey";
      columns: ["swarm_id", "message_id"];
      isOneToOne: false;
      referencedRelation: "messages";
      referencedColumns: ["swarm_id", "id"];
    },
    {
      foreignKeyName: "runs_swarm_id_fkey";
      columns: ["swarm_id"];
      isOneToOne: false;
      referencedRelation: "swarms";
      referencedColumns: ["id"];
    },
  ];
};
