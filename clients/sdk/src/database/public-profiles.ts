// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
export type PublicProfilesView = {
  Row: {
    id: string;
    full_name: string | null;
    avatar_url: string | null;
  };
  Relationships: [];
};
