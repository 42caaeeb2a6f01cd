import type { EventFault, JsonObject, ToolVisibility } from "@swarmbase/sdk";
import { unwrap } from "./failure.ts";
import type { Tool } from "./tools.ts";
import { useWrite, type Write } from "./write.ts";

export interface TestOutcome {
  readonly success: boolean;
  readonly status: string;
  readonly output?: unknown;
  readonly error?: EventFault;
  readonly attempts: number;
  readonly duration_ms: number;
  readonly truncated?: boolean;
}

/** Calls a tool outside of any swarm. */
export function useTestTool(): Write<{ readonly toolId: string; readonly input: unknown }, TestOutcome> {
  return useWrite({
    tables: [],
    write: (client, { toolId, input }) =>
      unwrap(
        client.functions.invoke<TestOutcome>("tools", { body: { action: "test", tool_id: toolId, input } }),
      ) as Promise<TestOutcome>,
  });
}

/** An MCP server, as the function `tools` expects it. */
export interface RemoteServer {
  readonly url: string;
  readonly auth?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
  readonly secrets?: Readonly<Record<string, string>>;
}

export interface RemoteTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonObject;
}

export function useListRemote(): Write<RemoteServer, readonly RemoteTool[]> {
  return useWrite({
    tables: [],
    write: async (client, server) => {
      const answer = await unwrap(
        client.functions.invoke<{ tools: RemoteTool[] }>("tools", { body: { action: "list", ...server } }),
      );
      return answer?.tools ?? [];
    },
  });
}

export interface ImportOutcome {
  readonly imported: readonly Tool[];
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
}

export interface ImportOptions {
  readonly server: RemoteServer;
  readonly names: readonly string[];
  readonly visibility: Exclude<ToolVisibility, "public">;
}

/** The limit of the function `tools`. */
const MAX_NAMES = 100;

export function useImportRemote(): Write<ImportOptions, ImportOutcome> {
  return useWrite({
    tables: ["tools"],
    write: async (client, { server, names, visibility }) => {
      const done: ImportOutcome[] = [];
      for (let index = 0; index < names.length; index += MAX_NAMES) {
        const body = { action: "import", ...server, names: names.slice(index, index + MAX_NAMES), visibility };
        const outcome = await unwrap(client.functions.invoke<ImportOutcome>("tools", { body }));
        if (outcome !== null) done.push(outcome);
      }
      return { imported: done.flatMap(({ imported }) => imported), skipped: done.flatMap(({ skipped }) => skipped) };
    },
  });
}
