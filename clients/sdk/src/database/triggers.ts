// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { Json } from "../json.ts";

export type TriggersTable = {
  Row: {
    id: string;
    user_id: string;
    name: string;
    agent_id: string | null;
    swarm_id: string | null;
    message: string;
    conversation: "own" | "new";
    verification: "stripe" | "github" | "slack" | "standard_webhooks" | "hmac" | "bearer";
    signature_header: string;
    signature_algorithm: "sha256" | "sha512" | "sha1";
    signature_encoding: "hex" | "base64";
    signature_prefix: string;
    event_id_path: string | null;
    filter: Json | null;
    replay_window_seconds: number;
    enabled: boolean;
    calls_per_minute: number;
    max_payload_bytes: number;
    retention_days: number;
    max_tokens: number | null;
    max_cost_usd: number | null;
    allowed_tools: string[];
    pause_after_failures: number;
    has_secret: boolean;
    failures: number;
    skipped: number;
    paused_reason: string | null;
    limited_at: string | null;
    unverified_at: string | null;
    api_key_id: string | null;
    api_key_scopes: string[] | null;
    created_at: string;
    updated_at: string;
  };
  Insert: {
    id?: string;
    user_id?: string;
    name: string;
    agent_id?: string | null;
    swarm_id?: string | null;
    message: string;
    conversation?: "own" | "new";
    verification: "stripe" | "github" | "slack" | "standard_webhooks" | "hmac" | "bearer";
    signature_header?: string;
    signature_algorithm?: "sha256" | "sha512" | "sha1";
    signature_encoding?: "hex" | "base64";
    signature_prefix?: string;
    event_id_path?: string | null;
    filter?: Json | null;
    replay_window_seconds?: number;
    enabled?: boolean;
    calls_per_minute?: number;
    max_payload_bytes?: number;
    retention_days?: number;
    max_tokens?: number | null;
    max_cost_usd?: number | null;
    allowed_tools?: string[];
    pause_after_failures?: number;
  };
  Update: {
    name?: string;
    message?: string;
    conversation?: "own" | "new";
    verification?: "stripe" | "github" | "slack" | "standard_webhooks" | "hmac" | "bearer";
    signature_header?: string;
    signature_algorithm?: "sha256" | "sha512" | "sha1";
    signature_encoding?: "hex" | "base64";
    signature_prefix?: string;
    event_id_path?: string | null;
    filter?: Json | null;
    replay_window_seconds?: number;
    enabled?: boolean;
    calls_per_minute?: number;
    max_payload_bytes?: number;
    retention_days?: number;
    max_tokens?: number | null;
    max_cost_usd?: number | null;
    allowed_tools?: string[];
    pause_after_failures?: number;
  };
  Relationships: [
    {
      foreignKeyName: "triggers_agent_id_fkey";
      columns: ["agent_id"];
      isOneToOne: false;
      referencedRelation: "agent_cards";
      referencedColumns: ["id"];
    },
    {
      foreignKeyName: "triggers_agent_id_fkey";
      columns: ["agent_id"];
      isOneToOne: false;
      referencedRelation: "agents";
      referencedColumns: ["id"];
    },
    {
      foreignKeyName: "triggers_swarm_id_fkey";
      columns: ["swarm_id"];
      isOneToOne: false;
      referencedRelation: "swarms";
      referencedColumns: ["id"];
    },
  ];
};
