// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
/** The agents of a swarm. */
export type SwarmAgentsTable = {
  Row: {
    /** The id, a UUID that sorts by time. */
    id: string;
    /** The swarm. It cannot change. */
    swarm_id: string;
    /** The agent. It cannot change. */
    agent_id: string;
    /** The order in which agents speak; without a value the agent comes last. */
    position: number;
    /** False keeps the agent in the swarm without a response. */
    enabled: boolean;
    /** Replaces `agents.role` in this swarm. */
    role_override: string | null;
    /** The user who added the agent. */
    added_by: string | null;
    /** When the row was created. A sent value is ignored. */
    created_at: string;
  };
  Insert: {
    /** The id, a UUID that sorts by time. */
    id?: string;
    /** The swarm. It cannot change. */
    swarm_id: string;
    /** The agent. It cannot change. */
    agent_id: string;
    /** The order in which agents speak; without a value the agent comes last. */
    position?: number;
    /** False keeps the agent in the swarm without a response. */
    enabled?: boolean;
    /** Replaces `agents.role` in this swarm. */
    role_override?: string | null;
  };
  Update: {
    /** The order in which agents speak; without a value the agent comes last. */
    position?: number;
    /** False keeps the agent in the swarm without a response. */
    enabled?: boolean;
    /** Replaces `agents.role` in this swarm. */
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
