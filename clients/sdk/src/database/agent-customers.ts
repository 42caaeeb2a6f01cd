// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
export type AgentCustomersView = {
  Row: {
    agent_id: string;
    user_id: string;
    full_name: string | null;
    runs: number;
    cost_usd: number;
    errors: number;
    last_run_at: string;
  };
  Relationships: [];
};
