// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
/** Who has asked your agents by a grant: figures without content. */
export type AgentCustomersView = {
  Row: {
    /** The agent. */
    agent_id: string;
    /** Whoever asked. */
    user_id: string;
    /** Their name. */
    full_name: string | null;
    /** How many runs they started. */
    runs: number;
    /** What the answers have cost, in USD. */
    cost_usd: number;
    /** How many answers failed. */
    errors: number;
    /** When they asked last. */
    last_run_at: string;
  };
  Relationships: [];
};
