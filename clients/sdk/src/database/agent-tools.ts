// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { GrantParty } from "../grants.ts";
import type { JsonObject } from "../json.ts";

export type AgentToolsTable = {
  Row: {
    id: string;
    agent_id: string;
    tool_id: string;
    user_id: string;
    enabled: boolean;
    configuration: JsonObject;
    approver: GrantParty | null;
    is_vouched: boolean;
    created_at: string;
  };
  Insert: {
    id?: string;
    agent_id: string;
    tool_id: string;
    enabled?: boolean;
    configuration?: JsonObject;
    approver?: GrantParty | null;
    is_vouched?: boolean;
  };
  Update: {
    enabled?: boolean;
    configuration?: JsonObject;
    approver?: GrantParty | null;
    is_vouched?: boolean;
  };
  Relationships: [
    {
      foreignKeyName: "agent_tools_agent_id_fkey";
      columns: ["agent_id", "user_id"];
      isOneToOne: false;
      referencedRelation: "agents";
      referencedColumns: ["id", "user_id"];
    },
    {
      foreignKeyName: "agent_tools_tool_id_fkey";
      columns: ["tool_id"];
      isOneToOne: false;
      referencedRelation: "tools";
      referencedColumns: ["id"];
    },
  ];
};
