// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { GrantParty } from "../grants.ts";
import type { JsonObject } from "../json.ts";

/** Which tools an agent can use. */
export type AgentToolsTable = {
  Row: {
    /** The id, a UUID that sorts by time. */
    id: string;
    /** The agent. It cannot change. */
    agent_id: string;
    /** The tool: your own, one of a swarm that you share, a public or a built-in one. It cannot change. */
    tool_id: string;
    /** The owner of the agent, set by the service. */
    user_id: string;
    /** False keeps the assignment without offering the tool to the model. */
    enabled: boolean;
    /** Overrides of the input, and lower limits, for this agent. */
    configuration: JsonObject;
    /** Who decides on calls that wait for an approval: `owner` of the agent, or `asker`. Null: as the grant says, without one the owner. The starter of a run always decides on a tool that acts for them. */
    approver: GrantParty | null;
    /** The service role wrote the configuration last, not the owner. Set by the service. */
    is_vouched: boolean;
    /** When the row was created. A sent value is ignored. */
    created_at: string;
  };
  Insert: {
    /** The id, a UUID that sorts by time. */
    id?: string;
    /** The agent. It cannot change. */
    agent_id: string;
    /** The tool: your own, one of a swarm that you share, a public or a built-in one. It cannot change. */
    tool_id: string;
    /** False keeps the assignment without offering the tool to the model. */
    enabled?: boolean;
    /** Overrides of the input, and lower limits, for this agent. */
    configuration?: JsonObject;
    /** Who decides on calls that wait for an approval: `owner` of the agent, or `asker`. Null: as the grant says, without one the owner. The starter of a run always decides on a tool that acts for them. */
    approver?: GrantParty | null;
    /** The service role wrote the configuration last, not the owner. Set by the service. */
    is_vouched?: boolean;
  };
  Update: {
    /** False keeps the assignment without offering the tool to the model. */
    enabled?: boolean;
    /** Overrides of the input, and lower limits, for this agent. */
    configuration?: JsonObject;
    /** Who decides on calls that wait for an approval: `owner` of the agent, or `asker`. Null: as the grant says, without one the owner. The starter of a run always decides on a tool that acts for them. */
    approver?: GrantParty | null;
    /** The service role wrote the configuration last, not the owner. Set by the service. */
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
