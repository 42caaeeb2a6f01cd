import type pg from "pg";
import { AppError } from "../../../errors/index.ts";
import { type StoredTool, selectTool } from "../sql/select-tool.ts";

/** `callerId` null is the service role, which can use all tools. Everybody can use built-in tools. */
export async function getOwnTool(pool: pg.Pool, callerId: string | null, toolId: string): Promise<StoredTool> {
  const tool = await selectTool(pool, toolId);
  const isOwn = tool !== null && (callerId === null || tool.owner_id === callerId || tool.kind === "builtin");
  if (isOwn) return tool;
  throw new AppError("TOOL_NOT_FOUND", "The tool does not exist or is not yours", {
    details: { tool_id: "names no tool of yours" },
  });
}
