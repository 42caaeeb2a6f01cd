import type pg from "pg";
import { insufficientScopeError } from "../../db/index.ts";
import type { JsonRecord } from "../../json/index.ts";
import type { Observer } from "../../observe/index.ts";
import type { GuardedFetch } from "../../outbound/index.ts";
import type { Clock } from "../../time/index.ts";
import { importRemoteTools, type ImportCall, type ImportedTools } from "./calls/import-remote-tools.ts";
import { listRemoteTools, type ListCall, type RemoteTool } from "./calls/list-remote-tools.ts";
import { getOwnTool } from "./calls/get-own-tool.ts";
import type { SchemaCompiler } from "./input/compile-schema.ts";
import { checkToolInput, describeTool } from "./input/check-input.ts";
import { HeldCalls } from "./mcp/held-calls.ts";
import { McpPool, type SessionLimits } from "./mcp/mcp-pool.ts";
import type { McpServers } from "./mcp/mcp-servers-file.ts";
import { ServerPrograms } from "./mcp/server-programs.ts";
import { type AuthorizationOptions, type Authorizations, openAuthorizations } from "./oauth/open-authorizations.ts";
import { OAUTH_TIMEOUT_MS } from "./oauth/oauth-fetch.ts";
import { createTokenSource } from "./oauth/token-source.ts";
import { type RunnerPorts, runTool } from "./run-tool.ts";
import { selectWaiting } from "./sql/select-waiting.ts";
import type { ToolKinds } from "./tool-kind.ts";
import type { ToolOutcome, Tools } from "./tool-port.ts";

export interface OpenToolsOptions {
  /** Applies the address policy of webhooks. */
  readonly guarded: Pick<GuardedFetch, "fetch" | "findUrlFault">;
  /** The same for MCP servers, which may be on this machine without TLS. Default: `guarded`. */
  readonly mcpGuarded?: Pick<GuardedFetch, "fetch" | "findUrlFault">;
  /** The pool of the service role. */
  readonly pool: pg.Pool;
  /** 32 bytes, derived from the master key; `createToolChecks` gets the same. */
  readonly key: Buffer;
  readonly clock: Clock;
  readonly observer: Observer;
  newId(): string;
  readonly schemas: SchemaCompiler;
  /** Kinds in addition to the built-in ones. */
  readonly kinds?: ToolKinds;
  /** MCP servers that the operator has listed, by name. */
  readonly mcpServers?: McpServers;
  readonly mcpSessions: SessionLimits;
  /** For one request to an authorization server. */
  readonly oauthTimeoutMs?: number;
  /** How browsers return from authorization servers. */
  readonly returns: Pick<AuthorizationOptions, "callbackUrl" | "isReturnAllowed">;
  /** Of this program; sent to MCP servers. */
  readonly version: string;
}

interface TestCall {
  /** Null is the service role. */
  readonly callerId: string | null;
  /** Whether the caller may call a tool whose calls need an approval. */
  readonly canApprove: boolean;
  readonly toolId: string;
  readonly input: JsonRecord;
}

export interface ToolModule extends Tools {
  listRemote(call: ListCall): Promise<readonly RemoteTool[]>;
  importRemote(call: ImportCall): Promise<ImportedTools>;
  /** Calls a tool on behalf of its owner, outside of a swarm. */
  test(call: TestCall): Promise<{ readonly outcome: ToolOutcome }>;
  /** Of the service, at MCP servers. */
  readonly authorizations: Authorizations;
  close(): Promise<void>;
}

const MCP_IDLE_MS = 60_000;

export function openTools(options: OpenToolsOptions): ToolModule {
  const {
    guarded,
    pool,
    key,
    clock,
    observer,
    newId,
    schemas,
    kinds = new Map(),
    mcpServers = new Map(),
    version,
  } = options;
  const { mcpGuarded = guarded, oauthTimeoutMs = OAUTH_TIMEOUT_MS } = options;
  const mcp = new McpPool({
    guarded: mcpGuarded,
    version,
    limits: options.mcpSessions,
    idleMs: MCP_IDLE_MS,
    held: new HeldCalls({ newId, selectWaiting: (ids) => selectWaiting(pool, ids) }),
    programs: new ServerPrograms({
      servers: mcpServers,
      onEnded: (server, failures) => observer.note("tool.server_ended", { server, failures }),
    }),
    tokensOf: (authorization) =>
      createTokenSource({ pool, key, clock, guarded: mcpGuarded, oauthTimeoutMs }, authorization),
    onExcluded: (count) => observer.note("tool.definitions_excluded", { count }),
  });
  const ports: RunnerPorts = { guarded, pool, key, clock, observer, mcp, kinds };
  return {
    describe: describeTool,
    checkInput: (tool, inputText) => checkToolInput(schemas, tool, inputText),
    run: (tool, input, context) => runTool(ports, tool, input, context),
    listRemote: (call) => listRemoteTools({ guarded: mcpGuarded, pool, mcp, key }, call),
    importRemote: (call) => importRemoteTools({ guarded: mcpGuarded, pool, mcp, key, newId, schemas }, call),
    async test({ callerId, canApprove, toolId, input }) {
      const tool = await getOwnTool(pool, callerId, toolId);
      if (tool.requires_approval && !canApprove) throw insufficientScopeError("approve");
      const checked = checkToolInput(schemas, tool, JSON.stringify(input));
      if (!checked.ok) return { outcome: { status: "failed", error: checked.fault, attempts: 0, durationMs: 0 } };
      const { signal } = new AbortController();
      const outcome = await runTool(ports, tool, checked.input, { swarmId: null, signal });
      if (outcome.status !== "asking") return { outcome };
      throw new Error("a tool asks although nobody can answer");
    },
    authorizations: openAuthorizations({
      pool,
      key,
      clock,
      newId,
      guarded: mcpGuarded,
      oauthTimeoutMs,
      ...options.returns,
    }),
    close: () => mcp.close(),
  };
}
