// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { EvalRunStatus } from "../evals.ts";

/** Runs of a dataset against a version of an agent. */
export type EvalRunsTable = {
  Row: {
    /** The id, a UUID that sorts by time. */
    id: string;
    /** The owner. It cannot change. */
    user_id: string;
    /** The dataset. It cannot change. */
    dataset_id: string;
    /** The agent; null once it is deleted. */
    agent_id: string | null;
    /** The `number` of the version in `agent_versions` that answered. It cannot change. */
    agent_version: number;
    /** The earlier run that the results were compared with; null without one. */
    baseline_run_id: string | null;
    /** `running`, `completed`, `failed` when it could not be finished, or `cancelled`. */
    status: EvalRunStatus;
    /** How many cases the run has. */
    case_count: number;
    /** How many of them passed. */
    passed_count: number;
    /** How many failed that passed in the baseline. */
    regression_count: number;
    /** When the row was created. A sent value is ignored. */
    created_at: string;
    /** When it ended; null before. */
    finished_at: string | null;
  };
  Insert: {
    /** The id, a UUID that sorts by time. */
    id?: string;
    /** The owner. It cannot change. */
    user_id?: string;
    /** The dataset. It cannot change. */
    dataset_id: string;
    /** The agent; null once it is deleted. */
    agent_id: string;
    /** The `number` of the version in `agent_versions` that answered. It cannot change. */
    agent_version: number;
    /** The earlier run that the results were compared with; null without one. */
    baseline_run_id?: string | null;
    /** `running`, `completed`, `failed` when it could not be finished, or `cancelled`. */
    status?: EvalRunStatus;
    /** How many cases the run has. */
    case_count?: number;
    /** How many of them passed. */
    passed_count?: number;
    /** How many failed that passed in the baseline. */
    regression_count?: number;
    /** When it ended; null before. */
    finished_at?: string | null;
  };
  Update: {
    /** The earlier run that the results were compared with; null without one. */
    baseline_run_id?: string | null;
    /** `running`, `completed`, `failed` when it could not be finished, or `cancelled`. */
    status?: EvalRunStatus;
    /** How many cases the run has. */
    case_count?: number;
    /** How many of them passed. */
    passed_count?: number;
    /** How many failed that passed in the baseline. */
    regression_count?: number;
    /** When it ended; null before. */
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
