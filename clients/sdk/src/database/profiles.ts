// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
export type ProfilesTable = {
  Row: {
    id: string;
    email: string | null;
    full_name: string | null;
    avatar_url: string | null;
    created_at: string;
    updated_at: string;
  };
  Insert: never;
  Update: {
    full_name?: string | null;
    avatar_url?: string | null;
  };
  Relationships: [];
};
