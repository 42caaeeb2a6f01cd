import type pg from "pg";
import { AppError } from "../../../errors/index.ts";
import { type StoredTool, selectTool } from "../sql/select-tool.ts";

/** Null is the service role, whose all tools are. Those that are built in are everybody's. */
export async function getOwnTool(pool: pg.Pool, callerId: string | null, toolId: string): Promise<StoredTool> {
  const tool = await selectTool(pool, toolId);
  const isOwn = tool !== null && (callerId === null || tool.owner_id === callerId || tool.kind === "builtin");
  if (isOwn) return tool;
  throw new AppError("TOOL_NOT_FOUND", "There is no such tool of yours", {
    details: { tool_id: "names no tool of yours" },
  });
}
