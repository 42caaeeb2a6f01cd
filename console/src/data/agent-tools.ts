import type { JsonObject } from "@swarmbase/sdk";
import { useUpdateRow } from "./changed-rows.ts";
import type { Agent } from "./agents.ts";
import type { Row } from "./client.ts";
import { unwrap } from "./failure.ts";
import { useLiveTable } from "./live.ts";
import { type ReadResult, useRows } from "./rows.ts";
import type { Tool } from "./tools.ts";
import { once, useWrite, type Write } from "./write.ts";

/** An assignment with its tool, which is null when its owner no longer shares it. */
export interface Assignment extends Row<"agent_tools"> {
  readonly tool: Tool | null;
}

/** The maximum number of rows of a list without pages. */
const MAX_ROWS = 1000;

/** The assignments of an agent, the oldest first. */
export function useAssignments(agentId: string): ReadResult<readonly Assignment[]> {
  useLiveTable("agent_tools", { filter: `agent_id=eq.${agentId}` });
  return useRows({
    table: "agent_tools",
    key: ["of agent", agentId],
    read: (client) =>
      client
        .from("agent_tools")
        .select<string, Assignment>("*, tool:tools(*)")
        .eq("agent_id", agentId)
        .order("created_at")
        .order("id")
        .limit(MAX_ROWS),
  });
}

interface ToolUser {
  readonly id: string;
  readonly enabled: boolean;
  readonly is_vouched: boolean;
  readonly agents: Pick<Agent, "id" | "name" | "role" | "status" | "acts_for_askers"> | null;
}

/** The user's own agents that have a tool. */
export function useToolUsers(toolId: string): ReadResult<readonly ToolUser[]> {
  useLiveTable("agent_tools", { filter: `tool_id=eq.${toolId}` });
  return useRows({
    table: "agent_tools",
    key: ["of tool", toolId],
    read: (client) =>
      client
        .from("agent_tools")
        .select<string, ToolUser>("id, enabled, is_vouched, agents(id, name, role, status, acts_for_askers)")
        .eq("tool_id", toolId)
        .order("created_at")
        .limit(MAX_ROWS),
  });
}

interface NewAssignment extends Partial<Pick<Assignment, "approver">> {
  readonly agentId: string;
  readonly toolId: string;
  readonly enabled?: boolean;
  readonly configuration?: JsonObject;
}

export function useAssignTool(): Write<NewAssignment, string> {
  return useWrite({
    tables: ["agent_tools", "agent_versions"],
    write: async (client, { agentId, toolId, enabled = true, configuration = {}, approver = null }, key) => {
      const row = { agent_id: agentId, tool_id: toolId, enabled, configuration, approver };
      return (await unwrap(once(client.from("agent_tools").insert(row).select("id").single(), key))).id;
    },
  });
}

interface AssignmentChange extends Partial<Pick<Assignment, "approver">> {
  readonly id: string;
  readonly enabled?: boolean;
  readonly configuration?: JsonObject;
}

export function useUpdateAssignment(): Write<AssignmentChange, { readonly id: string }> {
  return useUpdateRow("agent_tools");
}
