// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
/** Name and picture of a user. */
export type ProfilesTable = {
  Row: {
    /** The id of the user. */
    id: string;
    /** The address of the account, kept up to date by the service. `PUT /auth/v1/user` changes it. */
    email: string | null;
    /** The name that others see. */
    full_name: string | null;
    /** An `http` or `https` URL of a picture. */
    avatar_url: string | null;
    /** When the row was created. A sent value is ignored. */
    created_at: string;
    /** When the row changed last. A sent value is ignored. */
    updated_at: string;
  };
  Insert: never;
  Update: {
    /** The name that others see. */
    full_name?: string | null;
    /** An `http` or `https` URL of a picture. */
    avatar_url?: string | null;
  };
  Relationships: [];
};
