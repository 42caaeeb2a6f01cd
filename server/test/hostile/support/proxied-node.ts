import assert from "node:assert/strict";
import { once } from "node:events";
import type { TestContext } from "node:test";
import WebSocket from "ws";
import { type NodeClient, openNodeClient, PROXIED } from "../../app/node-client.ts";
import { closeAfter, makeDataDir, type Program, readCredentials, runProgram } from "../../app/program.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

export interface ProxiedNode {
  readonly program: Program;
  /** With the key of the service role. */
  readonly role: NodeClient;
  /** Signs a new user up. */
  newUser(): Promise<User>;
  /** The same user, calling this node. */
  adopt(user: Pick<User, "id" | "token">): User;
  /** Subscribes to the changes of a table of the schema public; resolves when the subscription is active. */
  listenToChanges(user: User, table: string): Promise<Changes>;
}

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** An object, or an array of rows. */
  readonly body: Readonly<Record<string, unknown>>;
}

interface User {
  readonly id: string;
  readonly token: string;
  send(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Reply>;
}

interface Changes {
  /** All frames so far, as soon as one contains the text. */
  readUntil(text: string): Promise<string>;
}

let users = 0;

/** A database and nodes of the real program on it, behind a proxy. */
export async function startProxiedNodes(
  t: TestContext,
  count: number,
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly database: TestDatabase; readonly nodes: readonly ProxiedNode[] }> {
  // Before the database, so that the nodes end before it is dropped.
  const dataDirs = await Promise.all(Array.from({ length: count }, () => makeDataDir(t)));
  const database = await createTestDatabase(t);
  const nodes = await Promise.all(dataDirs.map((dataDir) => startNode(t, database, { ...env, DATA_DIR: dataDir })));
  return { database, nodes };
}

/** Calls go over plain HTTP, as those of the proxy. */
async function startNode(
  t: TestContext,
  { adminUrl, masterKey }: TestDatabase,
  env: Readonly<Record<string, string>> & { readonly DATA_DIR: string },
): Promise<ProxiedNode> {
  const program = runProgram(t, ["serve"], {
    env: { DATABASE_URL: adminUrl, MASTER_KEY: masterKey, ...PROXIED, ...env },
  });
  await program.waitFor("service.started");
  const { DATA_DIR: dataDir } = env;
  const { url, anon_key: apikey } = await readCredentials(dataDir);
  const adopt = ({ id, token }: Pick<User, "id" | "token">): User => ({
    id,
    token,
    async send(method, path, body, headers = {}) {
      const answer = await fetch(url + path, {
        method,
        headers: {
          apikey,
          authorization: `Bearer ${token}`,
          "x-forwarded-proto": "https",
          ...(body !== undefined && { "content-type": "application/json", prefer: "return=representation" }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const text = await answer.text();
      return {
        status: answer.status,
        headers: answer.headers,
        text,
        body: text === "" ? {} : (JSON.parse(text) as Record<string, unknown>),
      };
    },
  });
  const newUser = async (): Promise<User> => {
    users += 1;
    const answer = await fetch(`${url}/auth/v1/signup`, {
      method: "POST",
      headers: { apikey, "content-type": "application/json", "x-forwarded-proto": "https" },
      body: JSON.stringify({ email: `hostile-${users}@example.com`, password: "correct horse battery" }),
    });
    const session = (await answer.json()) as { access_token: string; user: { id: string } };
    assert.equal(answer.status, 200, JSON.stringify(session));
    return adopt({ id: session.user.id, token: session.access_token });
  };
  const listenToChanges = async ({ token }: User, table: string): Promise<Changes> => {
    const socket = new WebSocket(`${url.replace("http", "ws")}/realtime/v1/websocket?apikey=${apikey}&vsn=1.0.0`, {
      headers: { "x-forwarded-proto": "https" },
    });
    closeAfter(t, async () => socket.terminate());
    const frames: string[] = [];
    socket.on("message", (data: Buffer) => {
      frames.push(data.toString());
      socket.emit("frame");
    });
    const readUntil = async (text: string): Promise<string> => {
      while (!frames.some((frame) => frame.includes(text))) await once(socket, "frame");
      return frames.join("\n");
    };
    await once(socket, "open");
    const config = { postgres_changes: [{ event: "*", schema: "public", table }] };
    const payload = { config, access_token: token };
    socket.send(JSON.stringify({ topic: "realtime:hostile", event: "phx_join", payload, ref: "1", join_ref: "1" }));
    await readUntil("Subscribed to PostgreSQL");
    return { readUntil };
  };
  return { program, role: await openNodeClient(dataDir), newUser, adopt, listenToChanges };
}
