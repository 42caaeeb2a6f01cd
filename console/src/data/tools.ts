import type { Database } from "@swarmbase/sdk";
import { dropRow, removing } from "./cached-rows.ts";
import type { Row } from "./client.ts";
import { unwrap } from "./failure.ts";
import { afterRow, holdsText } from "./keyset.ts";
import { useLiveTable } from "./live.ts";
import { useLivePages } from "./live-pages.ts";
import { type Pages, type Reading, useRows } from "./rows.ts";
import { useWrite, type Write } from "./write.ts";

export type Tool = Row<"tools">;
export type ToolDraft = Database["public"]["Tables"]["tools"]["Insert"];
export type ToolUpdate = Database["public"]["Tables"]["tools"]["Update"];

export const TOOL_ORIGINS = ["all", "builtin", "mine", "shared"] as const;
/** Where a tool comes from, as somebody who looks for one thinks of it. */
export type ToolOrigin = (typeof TOOL_ORIGINS)[number];

export interface ToolFilter {
  readonly origin: ToolOrigin;
  readonly search: string;
  readonly userId: string;
}

/** The newest first, so that what is built in comes last. */
export function useTools({ origin, search, userId }: ToolFilter): Pages<Tool> {
  return useLivePages<Tool>({
    table: "tools",
    key: ["list", origin, search, userId],
    ask: (client, { last, size, signal }) => {
      let query = client.from("tools").select("*").order("created_at", { ascending: false });
      if (origin === "builtin") query = query.eq("kind", "builtin");
      if (origin === "mine") query = query.eq("owner_id", userId);
      if (origin === "shared") query = query.neq("kind", "builtin").or(`owner_id.is.null,owner_id.neq.${userId}`);
      if (search.trim() !== "") query = query.or(holdsText(["name", "description", "category"], search.trim()));
      if (last !== null) query = query.or(afterRow(last));
      return query.order("id", { ascending: false }).limit(size).abortSignal(signal);
    },
  });
}

export function useTool(id: string): Reading<Tool> {
  useLiveTable("tools");
  return useRows({
    table: "tools",
    key: ["one", id],
    ask: (client, signal) => client.from("tools").select("*").eq("id", id).abortSignal(signal).single(),
  });
}

export function useCreateTool(): Write<ToolDraft, Tool> {
  return useWrite({
    tables: ["tools"],
    write: (client, draft) => unwrap(client.from("tools").insert(draft).select().single()),
  });
}

export function useUpdateTool(): Write<{ readonly id: string; readonly change: ToolUpdate }, Tool> {
  return useWrite({
    tables: ["tools", "agent_tools"],
    write: (client, { id, change }) => unwrap(client.from("tools").update(change).eq("id", id).select().single()),
  });
}

/** Its own table is not asked for again: the page of what is gone would ask too, before it is left. */
export function useDeleteTool(): Write<string, string> {
  return useWrite({
    tables: ["agent_tools"],
    foresee: (id) => [{ table: "tools", change: dropRow(id) }],
    write: (client, id) => removing(id, () => unwrap(client.from("tools").delete().eq("id", id))),
  });
}

export type ToolCall = Row<"tool_executions">;

/** What a tool was called for, the newest first: in swarms that one may look into. */
export function useToolCalls(toolId: string): Pages<ToolCall> {
  return useLivePages<ToolCall>({
    table: "tool_executions",
    filter: `tool_id=eq.${toolId}`,
    key: ["of tool", toolId],
    ask: (client, { last, size, signal }) => {
      let query = client.from("tool_executions").select("*").eq("tool_id", toolId);
      if (last !== null) query = query.or(afterRow(last));
      return query
        .order("created_at", { ascending: false })
        .order("id", { ascending: false })
        .limit(size)
        .abortSignal(signal);
    },
  });
}
