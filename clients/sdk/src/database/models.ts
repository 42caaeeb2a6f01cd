// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { Framework } from "../agents.ts";
import type { JsonObject } from "../json.ts";

export type ModelsTable = {
  Row: {
    framework: Framework;
    id: string;
    is_default: boolean;
    position: number;
    context_window: number | null;
    max_output_tokens: number | null;
    price_input: number | null;
    price_cached_input: number | null;
    price_output: number | null;
    supports: JsonObject;
    is_simulated: boolean;
    is_list_open: boolean;
    is_default_framework: boolean;
  };
  Insert: never;
  Update: never;
  Relationships: [];
};
