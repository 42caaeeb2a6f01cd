// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
export type EvalDatasetsTable = {
  Row: {
    id: string;
    user_id: string;
    name: string;
    description: string | null;
    created_at: string;
    updated_at: string;
  };
  Insert: {
    id?: string;
    user_id?: string;
    name: string;
    description?: string | null;
  };
  Update: {
    name?: string;
    description?: string | null;
  };
  Relationships: [];
};
