// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { EvalExpectation } from "../evals.ts";

/** The result of each case of a run. */
export type EvalResultsTable = {
  Row: {
    /** The id, a UUID that sorts by time. */
    id: string;
    /** The owner. It cannot change. */
    user_id: string;
    /** The run. It cannot change. */
    eval_run_id: string;
    /** The case; null once it is deleted. */
    case_id: string | null;
    /** The name of the case at the time of the result. */
    case_name: string;
    /** The input of the case at the time of the result. */
    input: string;
    /** The expectation of the case at the time of the result. */
    expectation: EvalExpectation;
    /** Whether the answer is what the case expects. */
    passed: boolean;
    /** Whether the same case passed in the baseline and fails now. */
    is_regression: boolean;
    /** From 0 to 1, by the judge; null without one. */
    score: number | null;
    /** Why it passed or failed. */
    reason: string | null;
    /** The answer; null when there was none. */
    output: string | null;
    /** The run of the agent, if its conversation was stored; null otherwise. */
    run_id: string | null;
    /** How long the run of the agent took. */
    latency_ms: number | null;
    /** Tokens that the agent read. */
    input_tokens: number | null;
    /** Tokens that the agent wrote. */
    output_tokens: number | null;
    /** The cost of the answer; null if a price is unknown. */
    cost_usd: number | null;
    /** When the row was created. A sent value is ignored. */
    created_at: string;
  };
  Insert: {
    /** The id, a UUID that sorts by time. */
    id?: string;
    /** The owner. It cannot change. */
    user_id?: string;
    /** The run. It cannot change. */
    eval_run_id: string;
    /** The case; null once it is deleted. */
    case_id?: string | null;
    /** The name of the case at the time of the result. */
    case_name: string;
    /** The input of the case at the time of the result. */
    input: string;
    /** The expectation of the case at the time of the result. */
    expectation: EvalExpectation;
    /** Whether the answer is what the case expects. */
    passed: boolean;
    /** Whether the same case passed in the baseline and fails now. */
    is_regression?: boolean;
    /** From 0 to 1, by the judge; null without one. */
    score?: number | null;
    /** Why it passed or failed. */
    reason?: string | null;
    /** The answer; null when there was none. */
    output?: string | null;
    /** The run of the agent, if its conversation was stored; null otherwise. */
    run_id?: string | null;
    /** How long the run of the agent took. */
    latency_ms?: number | null;
    /** Tokens that the agent read. */
    input_tokens?: number | null;
    /** Tokens that the agent wrote. */
    output_tokens?: number | null;
    /** The cost of the answer; null if a price is unknown. */
    cost_usd?: number | null;
  };
  Update: {
    /** The case; null once it is deleted. */
    case_id?: string | null;
    /** The name of the case at the time of the result. */
    case_name?: string;
    /** The input of the case at the time of the result. */
    input?: string;
    /** The expectation of the case at the time of the result. */
    expectation?: EvalExpectation;
    /** Whether the answer is what the case expects. */
    passed?: boolean;
    /** Whether the same case passed in the baseline and fails now. */
    is_regression?: boolean;
    /** From 0 to 1, by the judge; null without one. */
    score?: number | null;
    /** Why it passed or failed. */
    reason?: string | null;
    /** The answer; null when there was none. */
    output?: string | null;
    /** The run of the agent, if its conversation was stored; null otherwise. */
    run_id?: string | null;
    /** How long the run of the agent took. */
    latency_ms?: number | null;
    /** Tokens that the agent read. */
    input_tokens?: number | null;
    /** Tokens that the agent wrote. */
    output_tokens?: number | null;
    /** The cost of the answer; null if a price is unknown. */
    cost_usd?: number | null;
  };
  Relationships: [
    {
      foreignKeyName: "eval_results_case_id_fkey";
      columns: ["case_id", "user_id"];
      isOneToOne: false;
      referencedRelation: "eval_cases";
      referencedColumns: ["id", "user_id"];
    },
    {
      foreignKeyName: "eval_results_eval_run_id_fkey";
      columns: ["eval_run_id", "user_id"];
      isOneToOne: false;
      referencedRelation: "eval_runs";
      referencedColumns: ["id", "user_id"];
    },
  ];
};
