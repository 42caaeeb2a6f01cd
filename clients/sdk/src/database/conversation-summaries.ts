// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
/** What agents read instead of the oldest messages of a long conversation. */
export type ConversationSummariesTable = {
  Row: {
    /** The conversation. */
    swarm_id: string;
    /** The agent that reads the summary. */
    agent_id: string;
    /** The number of the last message that the summary covers. */
    up_to_seq: number;
    /** The summary. */
    text: string;
    /** When it was written. */
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
