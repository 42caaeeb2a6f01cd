// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { SwarmSettings, SwarmStatus, SwarmStrategy } from "../swarms.ts";

export type SwarmsTable = {
  Row: {
    id: string;
    owner_id: string;
    name: string;
    description: string | null;
    avatar: string | null;
    status: SwarmStatus;
    strategy: SwarmStrategy;
    coordinator_agent_id: string | null;
    settings: SwarmSettings;
    created_at: string;
    updated_at: string;
    parent_run_id: string | null;
  };
  Insert: {
    id?: string;
    owner_id?: string;
    name: string;
    description?: string | null;
    avatar?: string | null;
    status?: SwarmStatus;
    strategy?: SwarmStrategy;
    coordinator_agent_id?: string | null;
    settings?: SwarmSettings;
    parent_run_id?: string | null;
  };
  Update: {
    name?: string;
    description?: string | null;
    avatar?: string | null;
    status?: SwarmStatus;
    strategy?: SwarmStrategy;
    coordinator_agent_id?: string | null;
    settings?: SwarmSettings;
  };
  Relationships: [
    {
      foreignKeyName: "swarms_coordinator_agent_id_fkey";
      columns: ["coordinator_agent_id"];
      isOneToOne: false;
      referencedRelation: "agent_cards";
      referencedColumns: ["id"];
    },
    {
      foreignKeyName: "swarms_coordinator_agent_id_fkey";
      columns: ["coordinator_agent_id"];
      isOneToOne: false;
      referencedRelation: "agents";
      referencedColumns: ["id"];
    },
  ];
};
