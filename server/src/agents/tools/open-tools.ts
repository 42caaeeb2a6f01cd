import type pg from "pg";
import type { Observer } from "../../observe/index.ts";
import type { GuardedFetch } from "../../outbound/index.ts";
import type { Clock } from "../../time/index.ts";
import { importRemoteTools, type ImportCall, type ImportedTools } from "./calls/import-remote-tools.ts";
import { listRemoteTools, type ListCall, type RemoteTool } from "./calls/list-remote-tools.ts";
import { type TestCall, type TestedTool, testTool } from "./calls/test-tool.ts";
import { createSchemaCompiler } from "./input/compile-schema.ts";
import { checkToolInput, describeTool } from "./input/check-input.ts";
import { McpPool } from "./mcp/mcp-pool.ts";
import { type RunnerPorts, runTool } from "./run-tool.ts";
import type { ToolKinds } from "./tool-kind.ts";
import type { Tools } from "./tool-port.ts";

export interface OpenToolsOptions {
  /** The guarded way out, with the address policy of webhooks. */
  readonly guarded: Pick<GuardedFetch, "fetch">;
  /** The service's own, which sees all rows. */
  readonly pool: pg.Pool;
  /** Of 32 bytes, derived from the master key; the one that `createToolChecks` seals with. */
  readonly key: Buffer;
  readonly clock: Clock;
  readonly observer: Observer;
  newId(): string;
  /** Kinds beside the built-in ones. */
  readonly kinds?: ToolKinds;
  /** Of this program, told to MCP servers. */
  readonly version: string;
}

export interface ToolModule extends Tools {
  listRemote(call: ListCall): Promise<readonly RemoteTool[]>;
  importRemote(call: ImportCall): Promise<ImportedTools>;
  test(call: TestCall): Promise<TestedTool>;
  close(): Promise<void>;
}

const MOST_SCHEMAS = 500;
const MOST_MCP_CLIENTS = 200;
const MCP_IDLE_MS = 60_000;

export function openTools(options: OpenToolsOptions): ToolModule {
  const { guarded, pool, key, clock, observer, newId, kinds = new Map(), version } = options;
  const schemas = createSchemaCompiler({ maxKept: MOST_SCHEMAS });
  const mcp = new McpPool({
    guarded,
    version,
    maxClients: MOST_MCP_CLIENTS,
    idleMs: MCP_IDLE_MS,
    onExcluded: (count) => observer.note("tool.definitions_excluded", { count }),
  });
  const ports: RunnerPorts = { guarded, pool, key, clock, observer, mcp, kinds };
  return {
    describe: describeTool,
    checkInput: (tool, inputText) => checkToolInput(schemas, tool, inputText),
    run: (tool, input, context) => runTool(ports, tool, input, context),
    listRemote: (call) => listRemoteTools({ pool, mcp, key }, call),
    importRemote: (call) => importRemoteTools({ pool, mcp, key, newId, schemas }, call),
    test: (call) => testTool({ ...ports, schemas }, call),
    close: () => mcp.close(),
  };
}
