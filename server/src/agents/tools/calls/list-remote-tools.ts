import type pg from "pg";
import { AppError } from "../../../errors/index.ts";
import { openSecrets, type ToolSecrets } from "../seal-secrets.ts";
import type { StoredTool } from "../sql/select-tool.ts";
import { isUsable, type ToolKinds } from "../tool-kind.ts";
import type { NamedServer, RemoteTool } from "../tool-servers.ts";
import { requireServers } from "./find-servers.ts";
import { getOwnTool } from "./get-own-tool.ts";

export interface ListCall {
  /** Null is the service role. */
  readonly callerId: string | null;
  readonly server: NamedServer | { readonly toolId: string };
}

export interface ListPorts {
  readonly kinds: ToolKinds;
  readonly pool: pg.Pool;
  readonly key: Buffer;
}

/** Lists the tools of a server. */
export async function listRemoteTools(
  { kinds, pool, key }: ListPorts,
  { callerId, server }: ListCall,
): Promise<readonly RemoteTool[]> {
  const { name, kind, servers } = requireServers(kinds);
  if (!("toolId" in server)) {
    const config = servers.buildConfig(server, "*");
    return servers.listTools({ ownerId: callerId, config, secrets: server.secrets });
  }
  const tool = await getOwnTool(pool, callerId, server.toolId);
  if (tool.kind !== name || !isUsable(kind, tool.config)) {
    throw new AppError("VALIDATION_ERROR", "The tool does not belong to a server that lists tools", {
      details: { tool_id: `must be a tool of kind ${name} with a valid config` },
    });
  }
  return servers.listTools({ ownerId: tool.owner_id, config: tool.config, secrets: openOrExplain(key, tool) });
}

function openOrExplain(key: Buffer, { id, secrets_wrapped: wrapped }: StoredTool): ToolSecrets {
  try {
    return openSecrets(key, id, wrapped);
  } catch (cause) {
    throw new AppError("TOOL_ERROR", "The tool's secrets cannot be decrypted; send them again", { cause });
  }
}
