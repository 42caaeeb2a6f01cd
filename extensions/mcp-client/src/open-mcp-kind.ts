import type { Tool } from "@modelcontextprotocol/client";
import {
  type AccountTokens,
  AppError,
  type AuthorizationKey,
  isRecord,
  type NamedServer,
  type OpenedToolKind,
  type RemoteTool,
  type ToolConfigFault,
  ToolFailure,
  type ToolServers,
} from "swarmbase/extension";
import { type McpConfig, readConfig, requireConfig } from "./mcp-config.ts";
import { loadMcpServers, type McpServers } from "./load-mcp-servers.ts";
import { openAccounts } from "./oauth/connected-accounts.ts";
import { OAUTH_TIMEOUT_MS } from "./oauth/oauth-fetch.ts";
import { openAuthorizations } from "./oauth/open-authorizations.ts";
import { loadOperatorClients, type OperatorClients } from "./oauth/operator-clients.ts";
import { targetOf } from "./oauth/start-attempt.ts";
import { createTokenSource } from "./oauth/token-source.ts";
import { HeldCalls } from "./questions/held-calls.ts";
import { runMcpTool, toTarget, withClient } from "./run-mcp-tool.ts";
import { McpPool } from "./sessions/mcp-pool.ts";
import { ServerPrograms } from "./sessions/server-programs.ts";
import type { McpContext } from "./settings.ts";
import { selectWaiting } from "./sql/select-waiting.ts";

const TIMEOUT_MS = 20_000;

const MAX_TOOLS = 500;

interface McpKindOptions {
  /** For one request to an authorization server. */
  readonly oauthTimeoutMs?: number;
  /** Programs of the operator. Default: those of MCP_SERVERS_FILE. */
  readonly servers?: McpServers;
  /** OAuth clients of the operator. Default: those of MCP_OAUTH_CLIENTS_FILE. */
  readonly clients?: OperatorClients;
}

const IDLE_MS = 60_000;

/** The kind `mcp`. The package of the protocol is loaded with the first connection. */
export function openMcpKind(context: McpContext, options: McpKindOptions = {}): OpenedToolKind {
  const { settings, environment, database, fetch, version } = context;
  const { oauthTimeoutMs = OAUTH_TIMEOUT_MS } = options;
  const { servers = loadMcpServers(settings.MCP_SERVERS_FILE, environment) } = options;
  const { clients = loadOperatorClients(settings.MCP_OAUTH_CLIENTS_FILE) } = options;
  const oauth = { ...context, oauthTimeoutMs, clients };
  const tokensOf = (key: AuthorizationKey): AccountTokens => createTokenSource(oauth, targetOf(clients, key));
  const accounts = openAccounts({ ...oauth, tokensOf });
  const pool = new McpPool({
    fetch,
    version,
    limits: {
      perNode: settings.MCP_SESSIONS_PER_NODE,
      perServer: settings.MCP_SESSIONS_PER_SERVER,
      perUser: settings.MCP_SESSIONS_PER_USER,
    },
    idleMs: IDLE_MS,
    held: new HeldCalls({ newId: () => context.newId(), selectWaiting: (ids) => selectWaiting(database, ids) }),
    programs: new ServerPrograms({
      servers,
      onEnded: (server, failures) => context.noteToolServer("tool.server_ended", { server, failures }),
    }),
    tokensOf,
    onExcluded: (count) => context.noteToolServer("tool.definitions_excluded", { count }),
  });
  return {
    findConfigFaults: (config) => findConfigFaults(context, servers, config),
    run: (call) => runMcpTool(pool, accounts, call),
    servers: {
      buildConfig,
      listTools: (call) => listTools(pool, context, call),
      authorizations: openAuthorizations(oauth),
    },
    accounts,
    close: () => pool.close(),
  };
}

function findConfigFaults(
  { findUrlFault }: Pick<McpContext, "findUrlFault">,
  servers: McpServers,
  config: unknown,
): readonly ToolConfigFault[] {
  const read = readConfig(config);
  if (!read.ok) return read.faults;
  if ("server" in read.config) {
    const isKnown = servers.has(read.config.server);
    return isKnown ? [] : [{ path: "server", message: "names no MCP server of this service" }];
  }
  const message = findUrlFault(read.config.url);
  return message === null ? [] : [{ path: "url", message, isUrl: true }];
}

/** The configuration of a tool of the server that a request describes. */
function buildConfig(named: NamedServer, remoteName: string): McpConfig {
  const { url, server, headers = {}, auth, secrets } = named;
  const [only, ...others] = Object.keys(secrets);
  const isSingle = only !== undefined && others.length === 0;
  const chosen = auth ?? (isSingle ? { type: "bearer", secret: only } : undefined);
  const isSent = Object.keys(headers).length > 0 || chosen !== undefined || only !== undefined;
  if (server !== undefined && isSent)
    throw new AppError("VALIDATION_ERROR", "A server of the operator gets no credentials of users", {
      details: { server: "cannot be combined with headers, auth and secrets" },
    });
  if (chosen?.["type"] === "oauth" && only !== undefined)
    throw new AppError("VALIDATION_ERROR", "A server with OAuth gets no secrets", {
      details: { secrets: "cannot be combined with auth of type oauth" },
    });
  const address = server === undefined ? { url, headers, ...(chosen !== undefined && { auth: chosen }) } : { server };
  return requireConfig({ ...address, remote_name: remoteName });
}

async function listTools(
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
