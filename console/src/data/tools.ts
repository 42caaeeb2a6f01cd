import type { Database } from "@swarmbase/sdk";
import type { Row } from "./client.ts";
import { containsText, newestAfter, type Sort, sortAfter } from "./keyset.ts";
import { useLiveTable } from "./live.ts";
import { useLivePages } from "./live-pages.ts";
import { type Pages, type ReadResult, useRow } from "./rows.ts";

export type Tool = Row<"tools">;
export type ToolDraft = Database["public"]["Tables"]["tools"]["Insert"];
export type ToolUpdate = Database["public"]["Tables"]["tools"]["Update"];

export const TOOL_ORIGINS = ["all", "builtin", "mine", "shared"] as const;
/** The filter by origin. */
export type ToolOrigin = (typeof TOOL_ORIGINS)[number];

interface ToolFilter {
  readonly origin: ToolOrigin;
  readonly search: string;
  readonly userId: string;
  readonly sort: Sort;
}

export function useTools({ origin, search, userId, sort }: ToolFilter): Pages<Tool> {
  return useLivePages<Tool>({
    table: "tools",
    key: ["list", origin, search, userId, sort],
    isNewestFirst: sort === "newest",
    read: (client, { last, size }) => {
      let query = client.from("tools").select("*");
      if (origin === "builtin") query = query.eq("kind", "builtin");
      if (origin === "mine") query = query.eq("owner_id", userId);
      if (origin === "shared") query = query.neq("kind", "builtin").or(`owner_id.is.null,owner_id.neq.${userId}`);
      if (search.trim() !== "") query = query.or(containsText(["name", "description", "category"], search.trim()));
      return sortAfter(query, sort, last).limit(size);
    },
  });
}

export function useTool(id: string): ReadResult<Tool> {
  useLiveTable("tools");
  return useRow("tools", id);
}

export type ToolCall = Row<"tool_executions">;

/** The calls of a tool that the user may see, the newest first. */
export function useToolCalls(toolId: string): Pages<ToolCall> {
  return useLivePages<ToolCall>({
    table: "tool_executions",
    filter: `tool_id=eq.${toolId}`,
    key: ["of tool", toolId],
    read: (client, { last, size }) => {
      const query = client.from("tool_executions").select("*").eq("tool_id", toolId);
      return newestAfter(query, last).limit(size);
    },
  });
}
