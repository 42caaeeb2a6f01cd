// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { Framework } from "../agents.ts";

/** Tokens and cost of each turn, for the user who pays for it. */
export type UsageRecordsTable = {
  Row: {
    /** The id, a UUID that sorts by time. */
    id: string;
    /** The user whose budget is charged. Only the payer reads the row. */
    payer_id: string;
    /** The user who started the run. */
    user_id: string | null;
    /** The swarm. */
    swarm_id: string | null;
    /** The run. */
    run_id: string | null;
    /** The turn. */
    turn_id: string | null;
    /** The agent. */
    agent_id: string | null;
    /** The AI provider. */
    framework: Framework;
    /** The model. */
    model: string;
    /** Tokens that the model read. */
    input_tokens: number;
    /** The part of `input_tokens` that the provider had in its cache. */
    cached_input_tokens: number;
    /** Tokens that the model wrote. */
    output_tokens: number;
    /** The part of `output_tokens` that was reasoning. */
    reasoning_tokens: number;
    /** The cost; null if the price is unknown. */
    cost_usd: number | null;
    /** True if the provider reported no usage and the service estimated it. */
    estimated: boolean;
    /** When the row was created. A sent value is ignored. */
    created_at: string;
    /** The grant by which the run asks an agent of somebody else. */
    grant_id: string | null;
  };
  Insert: never;
  Update: never;
  Relationships: [];
};
