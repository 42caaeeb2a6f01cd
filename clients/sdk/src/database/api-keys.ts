// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { ApiKeyScope } from "../api-keys.ts";
import type { Json } from "../json.ts";

/** Your API keys, without the keys themselves. */
export type ApiKeysTable = {
  Row: {
    /** The id, a UUID that sorts by time. */
    id: string;
    /** The user for whom the key stands. */
    user_id: string;
    /** What you call the key. */
    name: string;
    /** What the key may do, and nothing else: `read`, `write`, `run`, `approve`, `share`, `secrets`. */
    scopes: ApiKeyScope[];
    /** The first characters of the key. */
    prefix: string;
    /** When the key expires; null if it does not. */
    expires_at: string | null;
    /** When the key was last used, to the minute; null if it was not used yet. */
    last_used_at: string | null;
    /** When the row was created. A sent value is ignored. */
    created_at: string;
    /** The `agents` and `swarms` that the key is bound to; null if it is not bound. */
    resources: Json | null;
    /** Null. Rows of programs that a user has let in, which have an OAuth client here, are for the service role alone. */
    client_id: string | null;
  };
  Insert: never;
  Update: never;
  Relationships: [];
};
