import type { AccountTokens, AuthorizationKey, OpenedToolKind, ToolConfigFault } from "swarmbase/extension";
import { buildConfig } from "./describe-server.ts";
import { listTools } from "./list-tools.ts";
import { readConfig } from "./mcp-config.ts";
import { loadMcpServers, type McpServers } from "./mcp-servers-file.ts";
import { OAUTH_TIMEOUT_MS } from "./oauth/oauth-fetch.ts";
import { openAccounts } from "./oauth/connected-accounts.ts";
import { openAuthorizations } from "./oauth/open-authorizations.ts";
import { loadOperatorClients, type OperatorClients } from "./oauth/operator-clients.ts";
import { targetOf } from "./oauth/start-attempt.ts";
import { createTokenSource } from "./oauth/token-source.ts";
import { HeldCalls } from "./questions/held-calls.ts";
import { selectWaiting } from "./sql/select-waiting.ts";
import { runMcpTool } from "./run-mcp-tool.ts";
import { McpPool } from "./sessions/mcp-pool.ts";
import { ServerPrograms } from "./sessions/server-programs.ts";
import type { McpContext } from "./settings.ts";

export interface McpKindOptions {
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
