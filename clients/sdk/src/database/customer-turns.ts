// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
export type CustomerTurnsView = {
  Row: {
    id: string;
    agent_id: string;
    user_id: string | null;
    run_id: string;
    status: string;
    duration_ms: number | null;
    cost_usd: number | null;
    error_code: string | null;
    tool_names: string[];
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
