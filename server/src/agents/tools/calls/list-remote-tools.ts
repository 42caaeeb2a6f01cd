import type { Tool } from "@modelcontextprotocol/client";
import type pg from "pg";
import { AppError } from "../../../errors/index.ts";
import { isRecord, type JsonRecord } from "../../../json/index.ts";
import type { GuardedFetch } from "../../../outbound/index.ts";
import { type ConfigFault, type McpAuth, type McpConfig, readConfig } from "../config/tool-config.ts";
import type { McpPool } from "../mcp/mcp-pool.ts";
import { toTarget, withClient } from "../mcp/run-mcp-tool.ts";
import { openSecrets, type ToolSecrets } from "../seal-secrets.ts";
import type { StoredTool } from "../sql/select-tool.ts";
import { ToolFailure } from "../tool-failure.ts";
import { getOwnTool } from "./get-own-tool.ts";

/** A server that the request describes. */
export interface NamedServer {
  /** Either the address of a server, */
  readonly url?: string | undefined;
  /** or the name of a server that the operator has listed. */
  readonly server?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Absent: a single secret is sent as a bearer token. */
  readonly auth?: McpAuth | undefined;
  readonly secrets: ToolSecrets;
}

export interface ListCall {
  /** Null is the service role. */
  readonly callerId: string | null;
  readonly server: NamedServer | { readonly toolId: string };
}

export interface RemoteTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonRecord;
}

export interface ListPorts {
  readonly guarded: Pick<GuardedFetch, "findUrlFault">;
  readonly pool: pg.Pool;
  readonly mcp: McpPool;
  readonly key: Buffer;
}

const TIMEOUT_MS = 20_000;
const MAX_TOOLS = 500;

/** Lists the tools of an MCP server. */
export async function listRemoteTools(
  ports: ListPorts,
  { callerId, server }: ListCall,
): Promise<readonly RemoteTool[]> {
  if (!("toolId" in server)) return listOffered(ports, callerId, server.secrets, buildConfig(server, "*"));
  const tool = await getOwnTool(ports.pool, callerId, server.toolId);
  const read = tool.kind === "mcp" ? readConfig("mcp", tool.config) : null;
  if (read?.ok !== true) {
    throw new AppError("VALIDATION_ERROR", "The tool does not belong to an MCP server", {
      details: { tool_id: "must be a tool of kind mcp with a valid config" },
    });
  }
  return listOffered(ports, tool.owner_id, openOrExplain(ports.key, tool), read.config);
}

function openOrExplain(key: Buffer, { id, secrets_wrapped: wrapped }: StoredTool): ToolSecrets {
  try {
    return openSecrets(key, id, wrapped);
  } catch (cause) {
    throw new AppError("TOOL_ERROR", "The tool's secrets cannot be decrypted; send them again", { cause });
  }
}

/** The configuration of a tool of this server. */
export function buildConfig(named: NamedServer, remoteName: string): McpConfig {
  const { url, server, headers = {}, auth, secrets } = named;
  const [only, ...others] = Object.keys(secrets);
  const isSingle = only !== undefined && others.length === 0;
  const chosen: McpAuth | undefined = auth ?? (isSingle ? { type: "bearer", secret: only } : undefined);
  const isSent = Object.keys(headers).length > 0 || chosen !== undefined || only !== undefined;
  if (server !== undefined && isSent)
    throw new AppError("VALIDATION_ERROR", "A server of the operator gets no credentials of users", {
      details: { server: "cannot be combined with headers, auth and secrets" },
    });
  if (chosen?.type === "oauth" && only !== undefined)
    throw new AppError("VALIDATION_ERROR", "A server with OAuth gets no secrets", {
      details: { secrets: "cannot be combined with auth of type oauth" },
    });
  const address = server === undefined ? { url, headers, ...(chosen !== undefined && { auth: chosen }) } : { server };
  const read = readConfig("mcp", { ...address, remote_name: remoteName });
  if (read.ok) return read.config;
  throw new AppError("VALIDATION_ERROR", "The description of the MCP server is not valid", {
    details: toDetails(read.faults),
  });
}

function toDetails(faults: readonly ConfigFault[]): Record<string, string> {
  return Object.fromEntries(faults.map(({ path, message }) => [path === "" ? "body" : path, message]));
}

export async function listOffered(
  { guarded, mcp }: Pick<ListPorts, "guarded" | "mcp">,
  ownerId: string | null,
  secrets: ToolSecrets,
  config: McpConfig,
): Promise<readonly RemoteTool[]> {
  if ("server" in config) mcp.requireServer(config.server, ownerId);
  // The text itself: the MCP client gets a URL that the parser has already rewritten.
  const urlFault = "url" in config ? guarded.findUrlFault(config.url) : null;
  if (urlFault !== null) throw new AppError("INVALID_URL", urlFault, { details: { url: urlFault } });
  const deadline = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const target = toTarget(mcp, config, ownerId, secrets);
    const list = await withClient(mcp, { target, signal: deadline }, ({ client, hasCachedList }) =>
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
