// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
export type ConversationSummariesTable = {
  Row: {
    swarm_id: string;
    agent_id: string;
    up_to_seq: number;
    text: string;
    created_at: string;
  };
  Insert: never;
  Update: never;
  Relationships: [
    {
      foreignKeyName: "conversation_summaries_agent_id_fkey";
      columns: ["swarm_id", "agent_id"];
      isOneToOne: false;
      referencedRelation: "swarm_agents";
      referencedColumns: ["swarm_id", "agent_id"];
    },
  ];
};
