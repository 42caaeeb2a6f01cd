// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
/** The answers of your agents to those who ask by a grant: figures without content. */
export type CustomerTurnsView = {
  Row: {
    /** The id, a UUID that sorts by time. */
    id: string;
    /** The agent. */
    agent_id: string;
    /** Whoever asked. */
    user_id: string | null;
    /** The run. */
    run_id: string;
    /** How far the answer is. */
    status: string;
    /** Milliseconds of the whole answer. */
    duration_ms: number | null;
    /** What the answer has cost, in USD. */
    cost_usd: number | null;
    /** The code of the error of an answer that failed. */
    error_code: string | null;
    /** The tools that were called, in their order. */
    tool_names: string[];
    /** When the row was created. A sent value is ignored. */
    created_at: string;
  };
  Relationships: [
    {
      foreignKeyName: "run_turns_agent_id_fkey";
      columns: ["agent_id"];
      isOneToOne: false;
      referencedRelation: "agent_cards";
      referencedColumns: ["id"];
    },
    {
      foreignKeyName: "run_turns_agent_id_fkey";
      columns: ["agent_id"];
      isOneToOne: false;
      referencedRelation: "agents";
      referencedColumns: ["id"];
    },
  ];
};
