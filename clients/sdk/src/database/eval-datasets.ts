// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
/** Datasets: lists of cases that agents are tested with. */
export type EvalDatasetsTable = {
  Row: {
    /** The id, a UUID that sorts by time. */
    id: string;
    /** The owner. It cannot change. */
    user_id: string;
    /** The name, which is unique among the datasets of a user. */
    name: string;
    /** What the dataset is for. */
    description: string | null;
    /** When the row was created. A sent value is ignored. */
    created_at: string;
    /** When the row changed last. A sent value is ignored. */
    updated_at: string;
  };
  Insert: {
    /** The id, a UUID that sorts by time. */
    id?: string;
    /** The owner. It cannot change. */
    user_id?: string;
    /** The name, which is unique among the datasets of a user. */
    name: string;
    /** What the dataset is for. */
    description?: string | null;
  };
  Update: {
    /** The name, which is unique among the datasets of a user. */
    name?: string;
    /** What the dataset is for. */
    description?: string | null;
  };
  Relationships: [];
};
