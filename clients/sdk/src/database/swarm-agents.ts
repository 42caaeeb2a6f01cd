// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
export type SwarmAgentsTable = {
  Row: {
    id: string;
    swarm_id: string;
    agent_id: string;
    position: number;
    enabled: boolean;
    role_override: string | null;
    added_by: string | null;
    created_at: string;
  };
  Insert: {
    id?: string;
    swarm_id: string;
    agent_id: string;
    position?: number;
    enabled?: boolean;
    role_override?: string | null;
  };
  Update: {
    position?: number;
    enabled?: boolean;
    role_override?: string | null;
  };
  Relationships: [
    {
      foreignKeyName: "swarm_agents_agent_id_fkey";
      columns: ["agent_id"];
      isOneToOne: false;
      referencedRelation: "agent_cards";
      referencedColumns: ["id"];
    },
    {
      foreignKeyName: "swarm_agents_agent_id_fkey";
      columns: ["agent_id"];
      isOneToOne: false;
      referencedRelation: "agents";
      referencedColumns: ["id"];
    },
    {
      foreignKeyName: "swarm_agents_swarm_id_fkey";
      columns: ["swarm_id"];
      isOneToOne: false;
      referencedRelation: "swarms";
      referencedColumns: ["id"];
    },
  ];
};
