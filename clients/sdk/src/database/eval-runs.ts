// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { EvalRunStatus } from "../evals.ts";

export type EvalRunsTable = {
  Row: {
    id: string;
    user_id: string;
    dataset_id: string;
    agent_id: string | null;
    agent_version: number;
    baseline_run_id: string | null;
    status: EvalRunStatus;
    case_count: number;
    passed_count: number;
    regression_count: number;
    created_at: string;
    finished_at: string | null;
  };
  Insert: {
    id?: string;
    user_id?: string;
    dataset_id: string;
    agent_id: string;
    agent_version: number;
    baseline_run_id?: string | null;
    status?: EvalRunStatus;
    case_count?: number;
    passed_count?: number;
    regression_count?: number;
    finished_at?: string | null;
  };
  Update: {
    baseline_run_id?: string | null;
    status?: EvalRunStatus;
    case_count?: number;
    passed_count?: number;
    regression_count?: number;
    finished_at?: string | null;
  };
  Relationships: [
    {
      foreignKeyName: "eval_runs_agent_id_fkey";
      columns: ["agent_id", "user_id"];
      isOneToOne: false;
      referencedRelation: "agents";
      referencedColumns: ["id", "user_id"];
    },
    {
      foreignKeyName: "eval_runs_baseline_run_id_fkey";
      columns: ["baseline_run_id", "user_id"];
      isOneToOne: false;
      referencedRelation: "eval_runs";
      referencedColumns: ["id", "user_id"];
    },
    {
      foreignKeyName: "eval_runs_dataset_id_fkey";
      columns: ["dataset_id", "user_id"];
      isOneToOne: false;
      referencedRelation: "eval_datasets";
      referencedColumns: ["id", "user_id"];
    },
  ];
};
