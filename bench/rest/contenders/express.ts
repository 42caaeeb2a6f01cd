import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import { derivePassword } from "../../../server/src/crypto/index.ts";
import { withRole } from "../../../server/src/db/index.ts";
import { findFreePort, isListening, spawnServer } from "../child.ts";
import type { HttpServer } from "../contender.ts";
import { CHANGE, NEW_AGENT } from "../operations.ts";
import { idOf, type Population } from "../population.ts";
import { signSecretTokens } from "../secret-token.ts";
import type { Stage } from "../stage.ts";
import { readTableAgents } from "../table-requests.ts";

const PEERS = resolve(import.meta.dirname, "../peers");

/**
 * A hand-written API: Express with the driver, on the same schema and policies, setting role and claims statement by
 * statement.
 */
export async function startExpress(stage: Stage, database: string, population: Population): Promise<HttpServer> {
  const port = await findFreePort();
  const secret = randomBytes(32).toString("base64url");
  const server = await spawnServer({
    program: process.execPath,
    args: ["express-server.js"],
    cwd: PEERS,
    env: {
      NODE_ENV: "production",
      PORT: String(port),
      DATABASE_URL: withRole(stage.urlOf(database), "sb_user", derivePassword(stage.masterKey, "sb_user")),
      JWT_SECRET: secret,
      TLS_CERT: stage.cert,
      TLS_KEY: stage.key,
    },
    isUp: () => isListening(port),
  });
  const tokens = signSecretTokens(secret, population);
  return {
    name: "Express 5 + pg",
    pids: [server.pid],
    database,
    target: { host: "localhost", port, ca: stage.ca },
    request: (operation, { user, agent }) => {
      const headers = { authorization: `Bearer ${tokens[user]}` };
      const writing = { ...headers, "content-type": "application/json" };
      const path = `/agents/${idOf("agent", agent)}`;
      switch (operation) {
        case "read one":
          return { method: "GET", path, headers };
        case "list 20":
          return { method: "GET", path: "/agents", headers };
        case "list 20 with tools":
          return { method: "GET", path: "/agents-with-tools", headers };
        case "insert":
          return { method: "POST", path: "/agents", headers: writing, body: JSON.stringify(NEW_AGENT) };
        case "update":
          return { method: "PATCH", path, headers: writing, body: JSON.stringify(CHANGE) };
      }
    },
    readAgents: readTableAgents,
    stop: server.stop,
  };
}
