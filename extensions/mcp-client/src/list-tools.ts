import type { Tool } from "@modelcontextprotocol/client";
import { AppError, isRecord, type RemoteTool, ToolFailure, type ToolServers } from "swarmbase/extension";
import { requireConfig } from "./mcp-config.ts";
import { toTarget, withClient } from "./run-mcp-tool.ts";
import type { McpPool } from "./sessions/mcp-pool.ts";
import type { McpContext } from "./settings.ts";

const TIMEOUT_MS = 20_000;
const MAX_TOOLS = 500;

export async function listTools(
  pool: McpPool,
  { findUrlFault }: Pick<McpContext, "findUrlFault">,
  call: Parameters<ToolServers["listTools"]>[0],
): Promise<readonly RemoteTool[]> {
  const { ownerId, secrets } = call;
  const config = requireConfig(call.config);
  if ("server" in config) pool.requireServer(config.server, ownerId);
  // The text itself: the MCP client gets a URL that the parser has already rewritten.
  const urlFault = "url" in config ? findUrlFault(config.url) : null;
  if (urlFault !== null) throw new AppError("INVALID_URL", urlFault, { details: { url: urlFault } });
  const deadline = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const target = toTarget(pool, config, ownerId, secrets);
    const list = await withClient(pool, { target, signal: deadline }, ({ client, hasCachedList }) =>
      client.listTools({}, { signal: deadline, timeout: TIMEOUT_MS, cacheMode: hasCachedList ? "use" : "refresh" }),
    );
    return list.tools.slice(0, MAX_TOOLS).map(toRemoteTool);
  } catch (error) {
    if (error instanceof ToolFailure) throw new AppError("TOOL_ERROR", error.message, { cause: error });
    if (deadline.aborted) throw new AppError("TOOL_ERROR", "The MCP server did not answer in time", { cause: error });
    throw error;
  }
}

function toRemoteTool({ name, description, inputSchema }: Tool): RemoteTool {
  const schema: unknown = inputSchema;
  return { name, description: description ?? "", input_schema: isRecord(schema) ? schema : { type: "object" } };
}
