// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
/** Names and pictures of people who share a swarm with you, and your own. */
export type PublicProfilesView = {
  Row: {
    /** The id of the user. */
    id: string;
    /** The name of the user. */
    full_name: string | null;
    /** A URL of a picture. */
    avatar_url: string | null;
  };
  Relationships: [];
};
