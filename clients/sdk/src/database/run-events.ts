// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { JsonObject } from "../json.ts";

export type RunEventsTable = {
  Row: {
    run_id: string;
    seq: number;
    swarm_id: string;
    agent_id: string | null;
    restricted: boolean;
    type: string;
    data: JsonObject;
    created_at: string;
  };
  Insert: never;
  Update: never;
  Relationships: [
    {
      foreignKeyName: "run_events_run_id_fkey";
      columns: ["swarm_id", "run_id"];
      isOneToOne: false;
      referencedRelation: "runs";
      referencedColumns: ["swarm_id", "id"];
    },
  ];
};
