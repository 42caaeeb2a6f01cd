// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { Framework } from "../agents.ts";

export type UsageDailyView = {
  Row: {
    day: string;
    payer_id: string;
    swarm_id: string | null;
    agent_id: string | null;
    framework: Framework;
    model: string;
    turns: number;
    input_tokens: number;
    cached_input_tokens: number;
    output_tokens: number;
    reasoning_tokens: number;
    cost_usd: number | null;
  };
  Relationships: [];
};
