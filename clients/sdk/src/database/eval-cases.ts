// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { EvalExpectation } from "../evals.ts";

export type EvalCasesTable = {
  Row: {
    id: string;
    user_id: string;
    dataset_id: string;
    name: string;
    input: string;
    expectation: EvalExpectation;
    position: number;
    created_at: string;
    updated_at: string;
  };
  Insert: {
    id?: string;
    user_id?: string;
    dataset_id: string;
    name: string;
    input: string;
    expectation: EvalExpectation;
    position?: number;
  };
  Update: {
    name?: string;
    input?: string;
    expectation?: EvalExpectation;
    position?: number;
  };
  Relationships: [
    {
      foreignKeyName: "eval_cases_dataset_id_fkey";
      columns: ["dataset_id", "user_id"];
      isOneToOne: false;
      referencedRelation: "eval_datasets";
      referencedColumns: ["id", "user_id"];
    },
  ];
};
