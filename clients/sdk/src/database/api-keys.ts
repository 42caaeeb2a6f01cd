// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { ApiKeyScope } from "../api-keys.ts";
import type { Json } from "../json.ts";

export type ApiKeysTable = {
  Row: {
    id: string;
    user_id: string;
    name: string;
    scopes: ApiKeyScope[];
    prefix: string;
    expires_at: string | null;
    last_used_at: string | null;
    created_at: string;
    resources: Json | null;
    client_id: string | null;
  };
  Insert: never;
  Update: never;
  Relationships: [];
};
