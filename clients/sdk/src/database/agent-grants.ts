// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { GrantAudience, GrantParty, GrantTranscripts } from "../grants.ts";
import type { JsonObject } from "../json.ts";

export type AgentGrantsTable = {
  Row: {
    id: string;
    agent_id: string;
    audience: GrantAudience;
    claim: JsonObject | null;
    user_id: string | null;
    include_anonymous: boolean;
    priority: number;
    agent_version: number | null;
    approver: GrantParty;
    payer: GrantParty;
    runs_per_day: number | null;
    cost_per_day: number | null;
    total_runs_per_day: number | null;
    total_cost_per_day: number | null;
    transcripts: GrantTranscripts;
    accepts_messages: boolean;
    accepts_client_tools: boolean;
    shows_owner: boolean;
    expires_at: string | null;
    accepted_at: string | null;
    accepted_approver: GrantParty | null;
    declined_at: string | null;
    created_at: string;
    updated_at: string;
  };
  Insert: {
    id?: string;
    agent_id: string;
    audience: GrantAudience;
    claim?: JsonObject | null;
    user_id?: string | null;
    include_anonymous?: boolean;
    priority?: number;
    agent_version?: number | null;
    approver?: GrantParty;
    payer?: GrantParty;
    runs_per_day?: number | null;
    cost_per_day?: number | null;
    total_runs_per_day?: number | null;
    total_cost_per_day?: number | null;
    transcripts?: GrantTranscripts;
    accepts_messages?: boolean;
    accepts_client_tools?: boolean;
    shows_owner?: boolean;
    expires_at?: string | null;
  };
  Update: {
    claim?: JsonObject | null;
    include_anonymous?: boolean;
    priority?: number;
    agent_version?: number | null;
    approver?: GrantParty;
    payer?: GrantParty;
    runs_per_day?: number | null;
    cost_per_day?: number | null;
    total_runs_per_day?: number | null;
    total_cost_per_day?: number | null;
    transcripts?: GrantTranscripts;
    accepts_messages?: boolean;
    accepts_client_tools?: boolean;
    shows_owner?: boolean;
    expires_at?: string | null;
  };
  Relationships: [
    {
      foreignKeyName: "agent_grants_agent_id_fkey";
      columns: ["agent_id"];
      isOneToOne: false;
      referencedRelation: "agent_cards";
      referencedColumns: ["id"];
    },
    {
      foreignKeyName: "agent_grants_agent_id_fkey";
      columns: ["agent_id"];
      isOneToOne: false;
      referencedRelation: "agents";
      referencedColumns: ["id"];
    },
    {
      foreignKeyName: "agent_grants_agent_version_fkey";
      columns: ["agent_id", "agent_version"];
      isOneToOne: false;
      referencedRelation: "agent_versions";
      referencedColumns: ["agent_id", "number"];
    },
  ];
};
