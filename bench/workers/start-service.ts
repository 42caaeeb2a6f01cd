import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type HttpConnection, openConnection, renderRequest } from "../load/http-connection.ts";
import { findFreePort, spawnServer } from "../rest/child.ts";
import { isReady, readAuthority, readCredentials } from "../rest/data-directory.ts";

export const OPERATIONS = ["read one", "insert"] as const;
export type Operation = (typeof OPERATIONS)[number];

/** More than a run can reach. */
export const NO_LIMIT = "1000000";
const REPOSITORY = resolve(import.meta.dirname, "../..");

export interface Load {
  readonly connection: HttpConnection;
  readonly requests: Readonly<Record<Operation, Buffer>>;
}

export interface Service {
  readonly pid: number;
  readonly loads: readonly Load[];
  /** Removes the inserted rows: an insert must not find more of them from round to round. */
  reset(): Promise<void>;
  stop(): Promise<void>;
}

/** A service in its own folder, with an account, one agent and open connections. */
export async function startService(workers: number, connectionCount: number, limitApi: string): Promise<Service> {
  const dataDir = await mkdtemp(join(tmpdir(), "swarmbase-bench-workers-"));
  await chmod(dataDir, 0o711);
  const server = await spawnServer({
    program: process.execPath,
    args: ["-C", "swarmbase-source", "server/bin/swarmbase.js", "serve"],
    cwd: REPOSITORY,
    env: {
      PATH: process.env["PATH"] ?? "",
      NODE_ENV: "production",
      LOG_LEVEL: "warn",
      CONSOLE_ENABLED: "false",
      PORT: String(await findFreePort()),
      DATA_DIR: dataDir,
      WORKERS: String(workers),
      AGENT_LIMIT_PER_USER: NO_LIMIT,
      LIMIT_API: limitApi,
    },
    isUp: () => isReady(dataDir),
  });
  const credentials = await readCredentials(dataDir);
  const { url, anon_key: apikey } = credentials;
  const { hostname: host, port } = new URL(url);
  const target = { host, port: Number(port), ca: await readAuthority(credentials) };
  const connections = await Promise.all(Array.from({ length: connectionCount }, () => openConnection(target)));
  const [first] = connections;
  if (first === undefined) throw new Error("there are no connections");
  const headers = { apikey, "content-type": "application/json" };
  const account = JSON.stringify({ email: "ada@example.com", password: "correct horse battery" });
  const signedUp = await first.ask(
    renderRequest(target, { method: "POST", path: "/auth/v1/signup", headers, body: account }),
  );
  const { access_token: token } = JSON.parse(signedUp.text) as { access_token: string };
  const asUser = { ...headers, authorization: `Bearer ${token}`, prefer: "return=representation" };
  const body = JSON.stringify({ name: "Ada" });
  const insert = renderRequest(target, { method: "POST", path: "/rest/v1/agents?select=*", headers: asUser, body });
  const [row] = JSON.parse((await first.ask(insert)).text) as { id: string }[];
  const path = `/rest/v1/agents?select=*&id=eq.${row?.id}`;
  const requests = { insert, "read one": renderRequest(target, { method: "GET", path, headers: asUser }) };
  return {
    pid: server.pid,
    loads: connections.map((connection) => ({ connection, requests })),
    reset: async () => {
      const others = `/rest/v1/agents?id=neq.${row?.id}`;
      await first.ask(
        renderRequest(target, { method: "DELETE", path: others, headers: { ...asUser, prefer: "return=minimal" } }),
      );
    },
    stop: async () => {
      for (const connection of connections) connection.close();
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
