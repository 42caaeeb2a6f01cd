// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { Framework } from "../agents.ts";

export type UsageRecordsTable = {
  Row: {
    id: string;
    payer_id: string;
    user_id: string | null;
    swarm_id: string | null;
    run_id: string | null;
    turn_id: string | null;
    agent_id: string | null;
    framework: Framework;
    model: string;
    input_tokens: number;
    cached_input_tokens: number;
    output_tokens: number;
    reasoning_tokens: number;
    cost_usd: number | null;
    estimated: boolean;
    created_at: string;
    grant_id: string | null;
  };
  Insert: never;
  Update: never;
  Relationships: [];
};
