import { resolve } from "node:path";
import { findFreePort, isListening, spawnServer } from "../child.ts";
import type { HttpServer } from "../contender.ts";
import type { Stage } from "../stage.ts";
import { buildTableRequest, readTableAgents } from "../table-requests.ts";

export interface BareOptions {
  readonly database: string;
  readonly isPlain: boolean;
}

/** The cost of Node.js itself: its own server with the same pipelined transactions, selected by the path. */
export async function startBare(stage: Stage, { database, isPlain }: BareOptions): Promise<HttpServer> {
  const port = await findFreePort();
  const server = await spawnServer({
    program: process.execPath,
    args: ["-C", "swarmbase-source", "bare-server.ts"],
    cwd: resolve(import.meta.dirname, ".."),
    env: {
      NODE_ENV: "production",
      PORT: String(port),
      DATABASE_URL: stage.urlOf(database),
      MASTER_KEY: stage.masterKey,
      ...(!isPlain && { TLS_CERT: stage.cert, TLS_KEY: stage.key }),
    },
    isUp: () => isListening(port),
  });
  return {
    name: isPlain ? "bare HTTP" : "bare HTTPS",
    pids: [server.pid],
    database,
    target: { host: "localhost", port, ca: stage.ca, isPlain },
    request: (operation, target) => ({
      ...buildTableRequest(operation, target, {}),
      path: `/${operation.replaceAll(" ", "-")}/${target.user}/${target.agent}`,
    }),
    readAgents: readTableAgents,
    stop: server.stop,
  };
}
