// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { EvalExpectation } from "../evals.ts";

export type EvalResultsTable = {
  Row: {
    id: string;
    user_id: string;
    eval_run_id: string;
    case_id: string | null;
    case_name: string;
    input: string;
    expectation: EvalExpectation;
    passed: boolean;
    is_regression: boolean;
    score: number | null;
    reason: string | null;
    output: string | null;
    run_id: string | null;
    latency_ms: number | null;
    input_tokens: number | null;
    output_tokens: number | null;
    cost_usd: number | null;
    created_at: string;
  };
  Insert: {
    id?: string;
    user_id?: string;
    eval_run_id: string;
    case_id?: string | null;
    case_name: string;
    input: string;
    expectation: EvalExpectation;
    passed: boolean;
    is_regression?: boolean;
    score?: number | null;
    reason?: string | null;
    output?: string | null;
    run_id?: string | null;
    latency_ms?: number | null;
    input_tokens?: number | null;
    output_tokens?: number | null;
    cost_usd?: number | null;
  };
  Update: {
    case_id?: string | null;
    case_name?: string;
    input?: string;
    expectation?: EvalExpectation;
    passed?: boolean;
    is_regression?: boolean;
    score?: number | null;
    reason?: string | null;
    output?: string | null;
    run_id?: string | null;
    latency_ms?: number | null;
    input_tokens?: number | null;
    output_tokens?: number | null;
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
