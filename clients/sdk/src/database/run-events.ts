// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { JsonObject } from "../json.ts";

/** The stream of a run, stored so that a client can resume it. */
export type RunEventsTable = {
  Row: {
    /** The run. */
    run_id: string;
    /** The number of the event in its run, which is the id of the event in the stream. */
    seq: number;
    /** The swarm. */
    swarm_id: string;
    /** The agent that the event is about. */
    agent_id: string | null;
    /** Only the owner and admins of the swarm and the owner of the agent can read the event. */
    restricted: boolean;
    /** The type of the event in the stream, such as `message.delta`. */
    type: string;
    /** The members of the event. */
    data: JsonObject;
    /** When the row was created. A sent value is ignored. */
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
