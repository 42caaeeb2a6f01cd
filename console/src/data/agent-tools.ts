import type { JsonObject } from "@swarmbase/sdk";
import { dropRow, replaceRow } from "./cached-rows.ts";
import type { Row } from "./client.ts";
import { unwrap } from "./failure.ts";
import { useLiveTable } from "./live.ts";
import { type Reading, useRows } from "./rows.ts";
import type { Tool } from "./tools.ts";
import { useWrite, type Write } from "./write.ts";

/** A tool that an agent has. The tool is null when its owner does not share it any more. */
export interface Assignment extends Row<"agent_tools"> {
  readonly tool: Tool | null;
}

/** The most that a list without pages asks for; an agent with more tools than that cannot tell them apart. */
const MOST = 1000;

/** In the order in which they were given. */
export function useAssignments(agentId: string): Reading<readonly Assignment[]> {
  useLiveTable("agent_tools", { filter: `agent_id=eq.${agentId}` });
  return useRows({
    table: "agent_tools",
    key: ["of agent", agentId],
    ask: (client, signal) =>
      client
        .from("agent_tools")
        .select("*, tool:tools(*)")
        .eq("agent_id", agentId)
        .order("created_at")
        .order("id")
        .limit(MOST)
        .abortSignal(signal),
  });
}

export interface ToolUser {
  readonly id: string;
  readonly enabled: boolean;
  readonly agents: Pick<Row<"agents">, "id" | "name" | "role" | "status"> | null;
}

/** Which agents of one's own have a tool. */
export function useToolUsers(toolId: string): Reading<readonly ToolUser[]> {
  useLiveTable("agent_tools", { filter: `tool_id=eq.${toolId}` });
  return useRows({
    table: "agent_tools",
    key: ["of tool", toolId],
    ask: (client, signal) =>
      client
        .from("agent_tools")
        .select("id, enabled, agents(id, name, role, status)")
        .eq("tool_id", toolId)
        .order("created_at")
        .limit(MOST)
        .abortSignal(signal),
  });
}

export interface NewAssignment {
  readonly agentId: string;
  readonly toolId: string;
  readonly enabled?: boolean;
  readonly configuration?: JsonObject;
}

export function useAssignTool(): Write<NewAssignment, string> {
  return useWrite({
    tables: ["agent_tools"],
    write: async (client, { agentId, toolId, enabled = true, configuration = {} }) => {
      const row = { agent_id: agentId, tool_id: toolId, enabled, configuration };
      return (await unwrap(client.from("agent_tools").insert(row).select("id").single())).id;
    },
  });
}

export interface AssignmentChange {
  readonly id: string;
  readonly enabled?: boolean;
  readonly configuration?: JsonObject;
}

export function useUpdateAssignment(): Write<AssignmentChange, string> {
  return useWrite({
    tables: ["agent_tools"],
    foresee: (row) => [{ table: "agent_tools", change: replaceRow(row) }],
    write: async (client, { id, ...change }) =>
      (await unwrap(client.from("agent_tools").update(change).eq("id", id).select("id").single())).id,
  });
}

export function useRemoveAssignment(): Write<string, string> {
  return useWrite({
    tables: ["agent_tools"],
    foresee: (id) => [{ table: "agent_tools", change: dropRow(id) }],
    write: async (client, id) => {
      await unwrap(client.from("agent_tools").delete().eq("id", id));
      return id;
    },
  });
}
