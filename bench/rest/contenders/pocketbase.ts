import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { HttpAnswer } from "../../load/http-connection.ts";
import { POCKETBASE_PROGRAM as PROGRAM } from "../../report/machine.ts";
import { findFreePort, isListening, spawnServer } from "../child.ts";
import type { HttpServer, ReadAgent } from "../contender.ts";
import { CHANGE, LIST_LIMIT, NEW_AGENT, type Operation } from "../operations.ts";
import type { Population } from "../population.ts";
import { fillPocketBase, pocketIdOf, signPocketTokens } from "../pocketbase-store.ts";
import type { Stage } from "../stage.ts";

const ADMIN = { identity: "bench@example.com", password: "correct horse battery staple" };
const OWNER = "user = @request.auth.id";
const RECORDS = "/api/collections/agents/records";

/**
 * Flushes every commit to disk, as PostgreSQL does. SQLite keeps this for each connection, and PocketBase has one for writes, which it
 * closes when it was idle: the benchmark sets it before each round, and asks for it afterwards.
 */
const DURABLE_HOOK = `
  routerAdd("POST", "/bench/synchronous", (e) => {
    $app.nonconcurrentDB().newQuery("PRAGMA synchronous=FULL").execute();
    return e.json(200, {});
  });
  routerAdd("GET", "/bench/synchronous", (e) => {
    const row = new DynamicModel({ synchronous: 0 });
    $app.nonconcurrentDB().newQuery("PRAGMA synchronous").one(row);
    return e.json(200, { synchronous: row.synchronous });
  });`;
/** The value of `PRAGMA synchronous` for FULL. */
const FULL = 2;

export interface PocketBaseOptions {
  readonly name: string;
  readonly population: Population;
  /** Whether it answers after its commit is on disk (`synchronous=FULL`); its own setting is NORMAL. */
  readonly isDurable: boolean;
}

/** Its package contains the program for one platform only. */
export function hasPocketBase(): boolean {
  return existsSync(PROGRAM);
}

/** Its own store and HTTP server, without TLS, which it supports only for a public name with a certificate authority. */
export async function startPocketBase(stage: Stage, options: PocketBaseOptions): Promise<HttpServer> {
  const { name, population, isDurable } = options;
  const folder = join(stage.folder, isDurable ? "pocketbase-durable" : "pocketbase");
  await mkdir(join(folder, "hooksDir"), { recursive: true });
  if (isDurable) await writeFile(join(folder, "hooksDir", "durable.pb.js"), DURABLE_HOOK);
  // All folders are passed explicitly, because the defaults are beside its program.
  const places = ["dir", "migrationsDir", "hooksDir", "publicDir"].map((place) => `--${place}=${join(folder, place)}`);
  const common = [...places, "--hooksWatch=false"];
  await promisify(execFile)(PROGRAM, ["superuser", "upsert", ADMIN.identity, ADMIN.password, ...common]);
  const port = await findFreePort();
  const server = await spawnServer({
    program: PROGRAM,
    args: ["serve", `--http=127.0.0.1:${port}`, "--automigrate=false", ...common],
    cwd: folder,
    env: {},
    isUp: () => isListening(port),
  });
  try {
    const url = `http://127.0.0.1:${port}`;
    await prepareCollections(url);
    fillPocketBase(join(folder, "dir", "data.db"), population);
    const tokens = signPocketTokens(join(folder, "dir", "data.db"), population);
    return {
      name,
      pids: [server.pid],
      database: null,
      target: { host: "127.0.0.1", port, ca: undefined, isPlain: true },
      request: (operation, { user, agent }) => {
        const headers = { authorization: tokens[user] ?? "" };
        const writing = { ...headers, "content-type": "application/json" };
        const list = `${RECORDS}?perPage=${LIST_LIMIT}&sort=-created&skipTotal=1`;
        const one = `${RECORDS}/${pocketIdOf("agent", agent)}`;
        switch (operation) {
          case "read one":
            return { method: "GET", path: one, headers };
          case "list 20":
            return { method: "GET", path: list, headers };
          case "list 20 with tools":
            return { method: "GET", path: `${list}&expand=agent_tools_via_agent.tool`, headers };
          case "insert": {
            const body = JSON.stringify({ ...NEW_AGENT, user: pocketIdOf("user", user) });
            return { method: "POST", path: RECORDS, headers: writing, body };
          }
          case "update":
            return { method: "PATCH", path: one, headers: writing, body: JSON.stringify(CHANGE) };
        }
      },
      readAgents,
      ...(isDurable && {
        prepareRound: async () => void (await send(url, "POST", "/bench/synchronous", {})),
        checkRound: () => checkDurable(url),
      }),
      stop: server.stop,
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

interface PocketAgent {
  readonly id: string;
  readonly expand?: {
    readonly agent_tools_via_agent?: readonly { readonly expand?: { readonly tool?: object } }[];
  };
}

function readAgents(operation: Operation, { status, text }: HttpAnswer): readonly ReadAgent[] {
  if (status !== 200) return [];
  const body = JSON.parse(text) as PocketAgent | { readonly items: readonly PocketAgent[] };
  const agents = operation.startsWith("list") && "items" in body ? body.items : [body as PocketAgent];
  return agents.map(({ id, expand }) => ({
    id,
    tools: (expand?.agent_tools_via_agent ?? []).filter((link) => link.expand?.tool !== undefined).length,
  }));
}

async function checkDurable(url: string): Promise<void> {
  const { synchronous } = (await send(url, "GET", "/bench/synchronous", null)) as { synchronous: number };
  if (synchronous !== FULL) throw new Error(`PocketBase runs with synchronous=${synchronous} instead of ${FULL}`);
}

async function prepareCollections(url: string): Promise<void> {
  const { token } = (await send(url, "POST", "/api/collections/_superusers/auth-with-password", ADMIN)) as {
    token: string;
  };
  // Otherwise it would write a log row for every request, which no other contender does.
  await send(url, "PATCH", "/api/settings", { logs: { maxDays: 0 } }, token);
  const { id: users } = (await send(url, "GET", "/api/collections/users", null, token)) as { id: string };
  const create = async (name: string, fields: readonly object[], indexes: readonly string[]): Promise<string> => {
    const rules = Object.fromEntries(["list", "view", "create", "update", "delete"].map((on) => [`${on}Rule`, OWNER]));
    const owner = { name: "user", type: "relation", collectionId: users, maxSelect: 1, required: true };
    const times = [
      { name: "created", type: "autodate", onCreate: true },
      { name: "updated", type: "autodate", onCreate: true, onUpdate: true },
    ];
    const body = { name, type: "base", ...rules, fields: [owner, ...fields, ...times], indexes };
    const { id } = (await send(url, "POST", "/api/collections", body, token)) as { id: string };
    return id;
  };
  const agents = await create(
    "agents",
    [
      { name: "name", type: "text", required: true, max: 100 },
      ...["role", "avatar", "framework", "model", "status"].map((name) => ({ name, type: "text" })),
      { name: "system_prompt", type: "text", max: 100_000 },
      { name: "settings", type: "json" },
      { name: "status_changed_at", type: "date" },
    ],
    ["CREATE INDEX idx_agents_user ON agents (user, created DESC)"],
  );
  const tools = await create(
    "tools",
    [
      ...["name", "category", "icon", "kind", "visibility"].map((name) => ({ name, type: "text" })),
      { name: "description", type: "text" },
      { name: "input_schema", type: "json" },
      { name: "config", type: "json" },
      ...["requires_approval", "enabled"].map((name) => ({ name, type: "bool" })),
      ...["timeout_ms", "max_output_chars"].map((name) => ({ name, type: "number" })),
    ],
    [],
  );
  await create(
    "agent_tools",
    [
      { name: "agent", type: "relation", collectionId: agents, maxSelect: 1, required: true },
      { name: "tool", type: "relation", collectionId: tools, maxSelect: 1, required: true },
      { name: "enabled", type: "bool" },
      { name: "configuration", type: "json" },
    ],
    ["CREATE INDEX idx_agent_tools_agent ON agent_tools (agent)"],
  );
}

async function send(url: string, method: string, path: string, body: object | null, token = ""): Promise<unknown> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { "content-type": "application/json", authorization: token },
    ...(body !== null && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`PocketBase answered ${path} with ${response.status}: ${text}`);
  return text === "" ? null : (JSON.parse(text) as unknown);
}
