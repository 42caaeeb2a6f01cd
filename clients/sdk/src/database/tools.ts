// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { JsonObject } from "../json.ts";
import type { ToolKind, ToolVisibility } from "../tools.ts";

export type ToolsTable = {
  Row: {
    id: string;
    owner_id: string | null;
    name: string;
    description: string;
    category: string | null;
    icon: string | null;
    input_schema: JsonObject;
    kind: ToolKind;
    config: JsonObject;
    visibility: ToolVisibility;
    requires_approval: boolean;
    timeout_ms: number;
    max_output_chars: number;
    enabled: boolean;
    created_at: string;
    updated_at: string;
    secret_names: string[];
    max_retries: number;
    idempotent: boolean;
    is_vouched: boolean;
  };
  Insert: {
    id?: string;
    owner_id?: string | null;
    name: string;
    description: string;
    category?: string | null;
    icon?: string | null;
    input_schema?: JsonObject;
    kind?: ToolKind;
    config?: JsonObject;
    visibility?: ToolVisibility;
    requires_approval?: boolean;
    timeout_ms?: number;
    max_output_chars?: number;
    enabled?: boolean;
    max_retries?: number;
    idempotent?: boolean;
    is_vouched?: boolean;
    secrets?: Record<string, string>;
  };
  Update: {
    name?: string;
    description?: string;
    category?: string | null;
    icon?: string | null;
    input_schema?: JsonObject;
    config?: JsonObject;
    visibility?: ToolVisibility;
    requires_approval?: boolean;
    timeout_ms?: number;
    max_output_chars?: number;
    enabled?: boolean;
    max_retries?: number;
    idempotent?: boolean;
    is_vouched?: boolean;
    secrets?: Record<string, string>;
  };
  Relationships: [];
};
