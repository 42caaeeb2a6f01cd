// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { EvalExpectation } from "../evals.ts";

/** The cases of datasets: an input, and what the answer has to be. */
export type EvalCasesTable = {
  Row: {
    /** The id, a UUID that sorts by time. */
    id: string;
    /** The owner of the dataset. It cannot change. */
    user_id: string;
    /** The dataset. It cannot change. */
    dataset_id: string;
    /** The name, which is unique in the dataset. */
    name: string;
    /** What the agent is asked. */
    input: string;
    /** What the answer has to be. */
    expectation: EvalExpectation;
    /** The place in the dataset; cases run in this order. */
    position: number;
    /** When the row was created. A sent value is ignored. */
    created_at: string;
    /** When the row changed last. A sent value is ignored. */
    updated_at: string;
  };
  Insert: {
    /** The id, a UUID that sorts by time. */
    id?: string;
    /** The owner of the dataset. It cannot change. */
    user_id?: string;
    /** The dataset. It cannot change. */
    dataset_id: string;
    /** The name, which is unique in the dataset. */
    name: string;
    /** What the agent is asked. */
    input: string;
    /** What the answer has to be. */
    expectation: EvalExpectation;
    /** The place in the dataset; cases run in this order. */
    position?: number;
  };
  Update: {
    /** The name, which is unique in the dataset. */
    name?: string;
    /** What the agent is asked. */
    input?: string;
    /** What the answer has to be. */
    expectation?: EvalExpectation;
    /** The place in the dataset; cases run in this order. */
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
