import type { GuardedFetch } from "@swarmbase/guarded-fetch";
import type { ToolCallKeys } from "@swarmbase/sdk";
import type pg from "pg";
import { keyNotAllowedError, type Principal } from "../../db/index.ts";
import type { JsonRecord } from "../../json/index.ts";
import type { Observer } from "../../observe/index.ts";
import type { Clock } from "../../time/index.ts";
import { importRemoteTools, type ImportCall, type ImportedTools } from "./calls/import-remote-tools.ts";
import { createAuthorizations } from "./calls/find-servers.ts";
import { listRemoteTools, type ListCall } from "./calls/list-remote-tools.ts";
import { getOwnTool } from "./calls/get-own-tool.ts";
import type { SchemaCompiler } from "../schemas/schema-compiler.ts";
import { openCallSigner } from "./http/call-signer.ts";
import { checkToolInput, describeTool } from "./input/check-input.ts";
import { type RunnerPorts, runTool } from "./run-tool.ts";
import { withSwarmKind } from "./with-swarm-kind.ts";
import type { ToolKinds } from "./tool-kind.ts";
import type { ToolOutcome, Tools } from "./tool-port.ts";
import type { Authorizations, RemoteTool } from "./tool-servers.ts";

export interface OpenToolsOptions {
  /** Applies the address policy of webhooks. */
  readonly guarded: Pick<GuardedFetch, "fetch">;
  /** The pool of the service role. */
  readonly pool: pg.Pool;
  /** 32 bytes, derived from the master key; `createToolChecks` gets the same. */
  readonly key: Buffer;
  /** Signs for whom HTTP tools are called; 32 bytes, derived from the master key. */
  readonly identityKey: Buffer;
  /** The public URL of the service. */
  baseUrl(): string;
  readonly clock: Clock;
  readonly observer: Observer;
  newId(): string;
  readonly schemas: SchemaCompiler;
  /** Kinds in addition to those of the core. */
  readonly kinds?: ToolKinds;
}

interface TestCall {
  readonly principal: Principal;
  readonly toolId: string;
  readonly input: JsonRecord;
}

export interface ToolModule extends Tools {
  listRemote(call: ListCall): Promise<readonly RemoteTool[]>;
  importRemote(call: ImportCall): Promise<ImportedTools>;
  /** Calls a tool on behalf of its owner, outside of a swarm. */
  test(call: TestCall): Promise<{ readonly outcome: ToolOutcome }>;
  /** Of the service, at the servers of tools. */
  readonly authorizations: Authorizations;
  /** The public keys with which servers of HTTP tools verify for whom they are called. */
  readonly callKeys: ToolCallKeys;
}

export function openTools(options: OpenToolsOptions): ToolModule {
  const { guarded, pool, key, clock, observer, newId, schemas } = options;
  const kinds = withSwarmKind(options.kinds ?? new Map());
  const signer = openCallSigner({ key: options.identityKey, baseUrl: options.baseUrl, clock, newId });
  const ports: RunnerPorts = { guarded, pool, key, signer, clock, observer, newId, kinds };
  return {
    describe: describeTool,
    checkInput: (tool, inputText) => checkToolInput(schemas, tool, inputText),
    run: (tool, input, context) => runTool(ports, tool, input, context),
    listRemote: (call) => listRemoteTools({ kinds, pool, key }, call),
    importRemote: (call) => importRemoteTools({ kinds, pool, key, newId, schemas }, call),
    async test({ principal, toolId, input }) {
      const tool = await getOwnTool(pool, principal.role === "service_role" ? null : principal.userId, toolId);
      // A person approves by making the call.
      if (tool.requires_approval && principal.scopes !== undefined) throw keyNotAllowedError(principal);
      const checked = checkToolInput(schemas, tool, JSON.stringify(input));
      if (!checked.ok) return { outcome: { status: "failed", error: checked.fault, attempts: 0, durationMs: 0 } };
      const { signal } = new AbortController();
      const starter =
        principal.role === "authenticated"
          ? { userId: principal.userId, open: async () => ({ principal, call: null }) }
          : null;
      const outcome = await runTool(ports, tool, checked.input, { swarmId: null, signal, starter });
      if (outcome.status !== "asking" && outcome.status !== "waiting") return { outcome };
      throw new Error("a tool waits although there is no run");
    },
    authorizations: createAuthorizations(kinds),
    callKeys: signer.keySet,
  };
}
