import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type HttpTarget, openConnection, renderRequest } from "../load/http-connection.ts";
import { findFreePort, spawnServer } from "../rest/child.ts";
import { isReady, readAuthority, readCredentials } from "../rest/data-directory.ts";

export interface User {
  readonly id: string;
  readonly email: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The service of one checkout, used only through its public interface, which both checkouts share. */
export interface Version {
  readonly name: string;
  readonly pid: number;
  readonly target: HttpTarget;
  /** Of the role that owns the tables. */
  readonly databaseUrl: string;
  signUp(): Promise<User>;
  /** The application's own server, which has no row of its own. */
  readonly serviceRole: User;
  /** Inserts rows as the user and returns their ids. */
  insert(user: User, table: string, rows: readonly object[]): Promise<string[]>;
  stop(): Promise<void>;
}

export interface VersionOptions {
  readonly name: string;
  /** The folder of the checkout, with its packages installed. */
  readonly folder: string;
  /** The program that runs the service. That of this process when unset. */
  readonly node?: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Stays when the service stops. By default a new folder, which is removed. */
  readonly dataDir?: string;
}

const PASSWORD = "correct horse battery staple";
const ROWS_AT_ONCE = 100;
const SETTINGS = {
  NODE_ENV: "production",
  WORKERS: "1",
  LOG_LEVEL: "warn",
  CONSOLE_ENABLED: "false",
  LIMIT_API: "0",
  LIMIT_AUTH: "0",
  LIMIT_AI: "0",
  LIMIT_TOOLS: "0",
  LIMIT_WEBHOOKS: "0",
  AGENT_LIMIT_PER_USER: "100000",
  AGENT_RUN_CONCURRENCY: "1000",
};

export async function startVersion({
  name,
  folder,
  node = process.execPath,
  settings,
  dataDir: keptDir,
}: VersionOptions): Promise<Version> {
  const dataDir = keptDir ?? (await mkdtemp(join(tmpdir(), "swarmbase-bench-")));
  await mkdir(dataDir, { recursive: true });
  // As root the database runs under another account, which must be able to enter the folder.
  await chmod(dataDir, 0o711);
  const server = await spawnServer({
    program: node,
    args: ["-C", "swarmbase-source", "server/bin/swarmbase.js", "serve"],
    cwd: folder,
    env: {
      ...SETTINGS,
      PORT: String(await findFreePort()),
      EMBEDDED_PORT: String(await findFreePort()),
      DATA_DIR: dataDir,
      ...settings,
    },
    isUp: () => isReady(dataDir),
  });
  const credentials = await readCredentials(dataDir);
  const { url, anon_key: apikey, service_role_key: serviceKey, database_url: databaseUrl } = credentials;
  const { hostname, port } = new URL(url);
  const target = { host: hostname, port: Number(port), ca: await readAuthority(credentials) };
  const post = async (path: string, headers: Readonly<Record<string, string>>, body: object): Promise<unknown> => {
    const connection = await openConnection(target);
    try {
      const { status, text } = await connection.ask(
        renderRequest(target, { method: "POST", path, headers, body: JSON.stringify(body) }),
      );
      if (status >= 300) throw new Error(`${name} answered POST ${path} with ${status}: ${text.slice(0, 500)}`);
      return JSON.parse(text);
    } finally {
      connection.close();
    }
  };
  return {
    name,
    pid: server.pid,
    target,
    databaseUrl,
    serviceRole: {
      id: "",
      email: "",
      headers: { apikey: serviceKey, authorization: `Bearer ${serviceKey}`, "content-type": "application/json" },
    },
    signUp: async () => {
      const email = `bench-${crypto.randomUUID()}@example.com`;
      const body = { email, password: PASSWORD };
      const headers = { apikey, "content-type": "application/json" };
      const session = (await post("/auth/v1/signup", headers, body)) as { access_token: string; user: { id: string } };
      return { id: session.user.id, email, headers: { ...headers, authorization: `Bearer ${session.access_token}` } };
    },
    insert: async (user, table, rows) => {
      const ids: string[] = [];
      for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
        const headers = { ...user.headers, prefer: "return=representation" };
        const inserted = await post(`/rest/v1/${table}?select=*`, headers, rows.slice(at, at + ROWS_AT_ONCE));
        ids.push(...(inserted as { id: string }[]).map(({ id }) => id));
      }
      return ids;
    },
    stop: async () => {
      await server.stop();
      if (keptDir === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
}
