// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { Framework } from "../agents.ts";

/** The sums of `usage_records` for each day, swarm, agent and model. */
export type UsageDailyView = {
  Row: {
    /** A day in UTC. */
    day: string;
    /** The user whose budget is charged. */
    payer_id: string;
    /** The swarm. */
    swarm_id: string | null;
    /** The agent. */
    agent_id: string | null;
    /** The AI provider. */
    framework: Framework;
    /** The model. */
    model: string;
    /** How many turns there were. */
    turns: number;
    /** Tokens that the model read. */
    input_tokens: number;
    /** The part of `input_tokens` that the provider had in its cache. */
    cached_input_tokens: number;
    /** Tokens that the model wrote. */
    output_tokens: number;
    /** The part of `output_tokens` that was reasoning. */
    reasoning_tokens: number;
    /** The known cost; null if no price is known. */
    cost_usd: number | null;
  };
  Relationships: [];
};
