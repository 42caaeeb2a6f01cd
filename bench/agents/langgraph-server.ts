import { copyFile, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { HttpTarget } from "../load/http-connection.ts";
import { findFreePort, spawnServer } from "../rest/child.ts";
import { endProcesses, listDescendants } from "./descendants.ts";

export interface LanggraphServer {
  readonly pid: number;
  readonly target: HttpTarget;
  createThreads(count: number): Promise<string[]>;
  stop(): Promise<void>;
}

const PACKAGES = resolve(import.meta.dirname, "../node_modules");
const COMMAND = join(PACKAGES, "@langchain/langgraph-cli/dist/cli/cli.mjs");
const GRAPH = resolve(import.meta.dirname, "peers/langgraph-graph.js");

/**
 * `langgraphjs dev`, the server that is included in the package: a development server that keeps everything in memory.
 */
export async function startLanggraphServer(providerPort: number): Promise<LanggraphServer> {
  const folder = await mkdtemp(join(tmpdir(), "swarmbase-bench-langgraph-"));
  // It stores its state beside the graph and resolves packages from there.
  await copyFile(GRAPH, join(folder, "graph.mjs"));
  await symlink(PACKAGES, join(folder, "node_modules"));
  await writeFile(
    join(folder, "langgraph.json"),
    JSON.stringify({ node_version: "22", graphs: { bench: "./graph.mjs:graph" }, env: {} }),
  );
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const server = await spawnServer({
    program: process.execPath,
    args: [
      COMMAND,
      "dev",
      "--host",
      "127.0.0.1",
      "--port",
      String(port),
      "--no-browser",
      "--config",
      join(folder, "langgraph.json"),
    ],
    cwd: folder,
    env: {
      PROVIDER_URL: `http://127.0.0.1:${providerPort}/v1/chat/completions`,
      LANGGRAPH_CLI_NO_ANALYTICS: "1",
      LANGSMITH_TRACING: "false",
      LANGCHAIN_TRACING_V2: "false",
    },
    isUp: async () => (await fetch(`${url}/ok`)).ok,
  });
  return {
    pid: server.pid,
    target: { host: "127.0.0.1", port, ca: undefined, isPlain: true },
    createThreads: async (count) => {
      const ids: string[] = [];
      for (let made = 0; made < count; made += 1) {
        const answer = await fetch(`${url}/threads`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: "{}",
        });
        ids.push(((await answer.json()) as { thread_id: string }).thread_id);
      }
      return ids;
    },
    stop: async () => {
      const started = listDescendants(server.pid);
      await server.stop();
      await endProcesses(started);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
