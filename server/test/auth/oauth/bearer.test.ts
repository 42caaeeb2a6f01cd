import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { API_KEY_SCOPES } from "@swarmbase/sdk";
import { authEndpoints } from "../../../src/auth/index.ts";
import { DEFAULT_EXTENSIONS } from "../../../src/config/index.ts";
import { loadExtensions } from "../../../src/extensions/index.ts";
import { FUNCTION_TABLE } from "../../../src/functions/index.ts";
import {
  authRoutes,
  functionRoutes,
  healthRoutes,
  protectedResourceRoutes,
  realtimeRoutes,
  restRoutes,
  type Route,
  toolCallRoutes,
} from "../../../src/http/index.ts";
import { RawClient } from "../../realtime/support/raw-client.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { findFreePort } from "../../support/free-port.ts";
import { CLIENT_ID, letProgramIn, type ProgramOptions } from "../../support/program-token.ts";
import type { ServiceHere } from "../../support/service-here.ts";
import { until } from "../../support/until.ts";
import { startTrustedService } from "../../hostile/support/service-calls.ts";

const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
const NAMES = [...DEFAULT_EXTENSIONS, "operator"];
const ALL = API_KEY_SCOPES.filter((scope) => scope !== "secrets");
const LONG_SLEEP = "/sleep 600000";
let database: TestDatabase;
/** Two nodes on one database. */
let one: ServiceHere;
let other: ServiceHere;
let baseUrl: string;
/** Of Ada, who has an agent in a swarm. */
let token: string;
let userId: string;
let agentId: string;
let swarmId: string;

/** Untyped: assertions check its members. */
type Json = ReturnType<typeof JSON.parse>;

interface Answer {
  readonly status: number;
  readonly body: Json;
  readonly challenge: string | null;
}

before(async () => {
  database = await createTestDatabase(cleanup);
  const ports = [await findFreePort(), await findFreePort()].map(String);
  baseUrl = `https://localhost:${ports[0]}`;
  const env = {
    PUBLIC_URL: baseUrl,
    EXTENSIONS: NAMES.join(","),
    AGENT_STREAMS_PER_USER: "20",
    LOG_LEVEL: "debug",
    API_KEYS_PER_USER: "50",
  };
  [one, other] = [
    await startTrustedService(cleanup, database, { ...env, PORT: ports[0] ?? "" }),
    await startTrustedService(cleanup, database, { ...env, PORT: ports[1] ?? "" }),
  ];
  const signedUp = await call("POST /auth/v1/signup", null, {
    email: "ada@example.com",
    password: "correct horse battery",
  });
  token = signedUp.body.access_token;
  userId = signedUp.body.user.id;
  [{ id: agentId }] = await insert("agents", { name: "Ann" });
  [{ id: swarmId }] = await insert("swarms", { name: "Team" });
  await insert("swarm_agents", { swarm_id: swarmId, agent_id: agentId });
});
after(async () => {
  for (const close of closers) await close();
});

function portOf(service: ServiceHere): string {
  return service === one ? baseUrl : service.credentials.url;
}

async function request(
  operation: string,
  bearer: string | null,
  { body, service = one }: { readonly body?: unknown; readonly service?: ServiceHere } = {},
): Promise<Response> {
  const [method = "", path = ""] = operation.split(" ");
  return fetch(portOf(service) + path, {
    method,
    redirect: "manual",
    headers: {
      apikey: one.credentials.anon_key,
      accept: "application/json, text/event-stream",
      prefer: "return=representation",
      ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

async function call(operation: string, bearer: string | null, body?: unknown, service = one): Promise<Answer> {
  const response = await request(operation, bearer, { body, service });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") === true;
  return {
    status: response.status,
    body: isJson && text !== "" ? JSON.parse(text) : text,
    challenge: response.headers.get("www-authenticate"),
  };
}

/** The status, the code of an error, and the names of tools. */
function outcomeOf({ status, body }: Answer): readonly unknown[] {
  const tools = body?.result?.tools?.map(({ name }: Json) => name);
  return [status, body?.code ?? body?.error?.data?.code ?? body?.error?.code ?? null, tools];
}

async function insert(table: string, row: object): Promise<Json> {
  const { status, body } = await call(`POST /rest/v1/${table}`, token, row);
  assert.equal(status, 201, JSON.stringify(body));
  return body;
}

async function letIn(
  scopes: readonly string[],
  more: Partial<ProgramOptions> & { readonly path?: string } = {},
): Promise<{ readonly token: string; readonly sessionId: string }> {
  const { path = "", ...options } = more;
  return letProgramIn(database.owner, { userId, scopes, resource: baseUrl + path, ...options });
}

const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
const listTools = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const ask = (message: string, more: object = {}): object => ({ swarm_id: swarmId, message, stream: false, ...more });

describe("the token of a program", () => {
  test("has the scopes that it names, and a 403 names those to ask for", async () => {
    const { token: reader } = await letIn(["read"]);
    assert.deepEqual((await call("GET /rest/v1/agents?select=id", reader)).body, [{ id: agentId }]);
    const refused = await call("POST /rest/v1/agents", reader, { name: "Bo" });
    assert.deepEqual(
      [refused.status, refused.body.code, refused.body.message, refused.challenge],
      [
        403,
        "INSUFFICIENT_SCOPE",
        "The token of the program lacks the scope write",
        `Bearer error="insufficient_scope", scope="read write", resource_metadata="${baseUrl}/.well-known/oauth-protected-resource"`,
      ],
    );
    const asked = await call("POST /functions/v1/agent-respond", reader, ask("Hello"));
    assert.deepEqual([asked.status, asked.body.code], [403, "INSUFFICIENT_SCOPE"]);
    assert.match(asked.challenge ?? "", /scope="read run"/);
    const { token: writer } = await letIn(["write"]);
    assert.equal((await call("GET /rest/v1/agents?select=id", writer)).challenge?.includes('scope="write read"'), true);
  });

  test("reaches only the agents and swarms that the person chose", async () => {
    const [{ id: kept }] = await insert("swarms", { name: "Kept" });
    const resources = { agents: [agentId], swarms: [swarmId] };
    const { token: bound } = await letIn(["read", "run"], { resources });
    assert.deepEqual((await call("GET /rest/v1/swarms?select=id", bound)).body, [{ id: swarmId }]);
    const refused = await call("POST /functions/v1/agent-respond", bound, { ...ask("Hello"), swarm_id: kept });
    assert.equal(refused.status, 403);
    assert.equal((await call("POST /functions/v1/agent-respond", bound, ask("Hello"))).status, 200);
  });

  test("gets what an API key with the same scopes gets, from every route and channel", async (t) => {
    const resources = { agents: [agentId], swarms: [swarmId] };
    const routes = (await listRoutes()).filter(
      ({ keyScope, needsProof }) => (keyScope ?? null) !== null && !needsProof,
    );
    assert.ok(routes.length > 60, String(routes.length));
    for (const [scopes, bound] of [...ALL.map((scope) => [[scope], null] as const), [ALL, resources] as const]) {
      const made = { action: "create", name: "key", scopes, resources: bound };
      const { key } = (await call("POST /functions/v1/api-keys", token, made)).body;
      const programs = new Map<string, string>();
      for (const path of ["", "/mcp", "/a2a"])
        programs.set(path, (await letIn(scopes, { path, resources: bound })).token);
      for (const { method, path, resource = "" } of routes) {
        const body = method === "GET" || method === "HEAD" ? undefined : resource === "/mcp" ? listTools : {};
        const operation = `${method} ${path.replaceAll(/:\w+/g, agentId).replace("*", "runs")}`;
        const [ofKey, ofProgram] = await Promise.all([
          call(operation, key, body),
          call(operation, programs.get(resource) ?? "", body),
        ]);
        assert.deepEqual(outcomeOf(ofProgram), outcomeOf(ofKey), `${operation} with ${scopes.join(" ")}`);
        assert.notEqual(ofProgram.status, 401, operation);
      }
      const joins = await Promise.all(
        [key, programs.get("") ?? ""].map(async (bearer) => {
          const socket = await RawClient.open(t, baseUrl, { apikey: one.credentials.anon_key });
          return (await socket.join(`realtime:swarm:${swarmId}`, { private: true }, bearer))["status"];
        }),
      );
      assert.equal(joins[0], joins[1]);
      const socket = await RawClient.open(t, baseUrl, { apikey: one.credentials.anon_key });
      const elsewhere = await socket.join(`realtime:swarm:${swarmId}`, { private: true }, programs.get("/mcp"));
      assert.equal(elsewhere["status"], "error");
    }
  });

  test("asks at /mcp for the scope of a tool that it lacks", async () => {
    const { token: reader } = await letIn(["read"], { path: "/mcp" });
    const params = { name: "ask_agent", arguments: { agent_id: agentId, message: "Hello" } };
    const refused = await call("POST /mcp", reader, { jsonrpc: "2.0", id: 1, method: "tools/call", params });
    assert.deepEqual([refused.status, refused.body.error.data.code], [403, "INSUFFICIENT_SCOPE"]);
    assert.equal(
      refused.challenge,
      `Bearer error="insufficient_scope", scope="read run", resource_metadata="${baseUrl}/.well-known/oauth-protected-resource/mcp"`,
    );
  });

  test("asks at /a2a for the scope that an operation lacks", async () => {
    const { token: reader } = await letIn(["read"], { path: "/a2a" });
    const message = { role: "ROLE_USER", messageId: "1", parts: [{ text: "Hello" }] };
    const headers = { "content-type": "application/json", "a2a-version": "1.0", authorization: `Bearer ${reader}` };
    const calls = [
      ["", { jsonrpc: "2.0", id: 1, method: "SendMessage", params: { message } }],
      ["/message:send", { message }],
      ["/message:stream", { message }],
    ] as const;
    for (const [below, body] of calls) {
      const url = `${baseUrl}/a2a/agents/${agentId}${below}`;
      const refused = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
      assert.equal(refused.status, 403, below);
      assert.match(await refused.text(), /INSUFFICIENT_SCOPE/);
      assert.equal(
        refused.headers.get("www-authenticate"),
        `Bearer error="insufficient_scope", scope="read run", resource_metadata="${baseUrl}/.well-known/oauth-protected-resource/a2a"`,
        below,
      );
    }
  });

  test("is for one resource, and is rejected at every other", async () => {
    const tokens: Readonly<Record<string, string>> = {
      "": (await letIn(ALL)).token,
      "/mcp": (await letIn(ALL, { path: "/mcp" })).token,
      "/a2a": (await letIn(ALL, { path: "/a2a" })).token,
      elsewhere: (await letIn(ALL, { resource: "https://other.example/mcp" })).token,
      slash: (await letIn(ALL, { path: "/" })).token,
    };
    const calls: Readonly<Record<string, readonly string[]>> = {
      "": ["GET /rest/v1/agents", "POST /functions/v1/agent-respond", "POST /realtime/v1/api/broadcast"],
      "/mcp": ["POST /mcp"],
      "/a2a": [`POST /a2a/agents/${agentId}`, "GET /.well-known/agent-card.json"],
    };
    for (const [resource, bearer] of Object.entries(tokens))
      for (const [home, operations] of Object.entries(calls))
        for (const operation of operations) {
          const body = operation.startsWith("GET")
            ? undefined
            : operation.endsWith("broadcast")
              ? { messages: [] }
              : ping;
          const { status, challenge } = await call(operation, bearer, body);
          assert.equal(status === 401, resource !== home, `${resource} at ${operation}: ${status}`);
          if (status !== 401 || operation.startsWith("GET /.well")) continue;
          assert.match(challenge ?? "", /error="invalid_token"/);
          assert.ok(challenge?.includes(`resource_metadata="${baseUrl}/.well-known/oauth-protected-resource${home}"`));
        }
    // A key is for all of them.
    const { key } = (
      await call("POST /functions/v1/api-keys", token, { action: "create", name: "key", scopes: ["read"] })
    ).body;
    for (const operation of ["GET /rest/v1/agents", "GET /.well-known/agent-card.json"])
      assert.equal((await call(operation, key)).status, 200, operation);
    assert.equal((await call("POST /mcp", key, ping)).status, 200);
  });

  test("is rejected when it has expired, was changed, is unknown, or is not in the header", async () => {
    const { token: expired } = await letIn(ALL, { expiresAt: new Date(Date.now() - 1_000) });
    const { token: live } = await letIn(ALL);
    for (const bearer of [
      expired,
      `${live}x`,
      live.slice(0, -1),
      live.toLowerCase(),
      "oat_",
      live.replace("oat_", "sk_"),
    ])
      for (const operation of ["GET /rest/v1/agents", "GET /auth/v1/user", "GET /.well-known/agent-card.json"])
        assert.equal((await call(operation, bearer)).status, 401, operation);
    for (const name of ["access_token", "apikey", "token"]) {
      const response = await fetch(`${baseUrl}/rest/v1/agents?${name}=${live}`);
      assert.equal(response.status, 401, name);
      const mcp = await fetch(`${baseUrl}/mcp?${name}=${live}`, { method: "POST", body: JSON.stringify(ping) });
      assert.equal(mcp.status, 401, name);
    }
    const asKey = await fetch(`${baseUrl}/rest/v1/agents`, { headers: { apikey: live } });
    assert.equal(asKey.status, 401);
  });

  test("is refused by every route that does not say which scope it needs, and changes nothing", async () => {
    const { token: program } = await letIn(ALL);
    const routes = (await listRoutes()).filter(
      ({ access, keyScope, needsProof, isBearerIgnored }) =>
        access !== "public" && isBearerIgnored !== true && ((keyScope ?? null) === null || needsProof === true),
    );
    assert.ok(routes.length > 50, String(routes.length));
    const before = await describeRows();
    for (const { method, path } of routes) {
      const operation = `${method} ${path.replaceAll(/:\w+/g, agentId).replace("*", "x")}`;
      const { status, body } = await call(operation, program, method === "GET" ? undefined : {});
      assert.ok(status === 401 || status === 403, `${operation}: ${status} ${JSON.stringify(body)}`);
    }
    assert.deepEqual(await describeRows(), before);
  });

  test("is no key of its user: it is not listed, counted, revoked or found by its id", async () => {
    const { token: program, sessionId } = await letIn(ALL);
    const listed = (await call("GET /rest/v1/api_keys?select=id,client_id", token)).body;
    assert.ok(listed.every(({ id, client_id: client }: Json) => id !== sessionId && client === null));
    for (const bearer of [token, one.credentials.service_role_key]) {
      const { status, body } = await call("POST /functions/v1/api-keys", bearer, { action: "revoke", id: sessionId });
      assert.deepEqual([status, body.code], [404, "API_KEY_NOT_FOUND"]);
    }
    assert.equal((await call("GET /rest/v1/agents", program)).status, 200);
  });

  test("notes the refresh that has reached the program, and is in the log with its client", async () => {
    const { token: program, sessionId } = await letIn(["read"], { refreshCounter: 3 });
    await call("GET /rest/v1/agents?select=name", program);
    await until(async () => {
      const statement = "select seen_refresh_counter::integer as seen from auth.sessions where id = $1";
      return (await database.owner.query<{ seen: number }>(statement, [sessionId])).rows[0]?.seen === 3;
    }, "the refresh is seen");
    await until(() => one.output().includes(`"clientId":"${CLIENT_ID}"`), "the log names the client");
  });
});

describe("the metadata of a resource", () => {
  test("names the resource and the authorization server, for the API and every resource of an extension", async () => {
    for (const path of ["", "/mcp", "/a2a"]) {
      const response = await fetch(`${baseUrl}/.well-known/oauth-protected-resource${path}`);
      assert.deepEqual(
        [response.status, response.headers.get("cache-control"), response.headers.get("access-control-allow-origin")],
        [200, "public, max-age=600", "*"],
      );
      const { resource_name: name, ...metadata } = await response.json();
      assert.equal(typeof name, "string");
      assert.deepEqual(metadata, {
        resource: baseUrl + path,
        authorization_servers: [`${baseUrl}/auth/v1`],
        scopes_supported: ["read", "write", "run"],
        bearer_methods_supported: ["header"],
      });
    }
    assert.equal((await fetch(`${baseUrl}/.well-known/oauth-protected-resource/other`)).status, 404);
  });

  test("is named by the challenge of every route that a program can call, and by no other", async () => {
    const without = await call("POST /mcp", null, ping);
    const metadata = `resource_metadata="${baseUrl}/.well-known/oauth-protected-resource/mcp", scope="read run"`;
    assert.deepEqual([without.status, without.challenge], [401, `Bearer realm="mcp", ${metadata}`]);
    for (const operation of ["GET /rest/v1/agents", "POST /functions/v1/agent-respond"])
      assert.match(
        (await call(operation, "x", operation.startsWith("GET") ? undefined : {})).challenge ?? "",
        /invalid_token.*oauth-protected-resource"/,
      );
    for (const operation of ["GET /auth/v1/user", "POST /functions/v1/api-keys", "GET /auth/v1/admin/users"])
      assert.doesNotMatch((await call(operation, "x")).challenge ?? "", /resource_metadata/, operation);
  });
});

describe("the end of a session", () => {
  const end = (sessionId: string): Promise<unknown> =>
    database.owner.query("delete from auth.sessions where id = $1", [sessionId]);
  const runOf = async (id: string): Promise<Json> =>
    (await database.owner.query("select status, stop_reason, client_id from public.runs where id = $1", [id])).rows[0];

  for (const kind of ["program", "API key"] as const)
    test(`of ${kind === "program" ? "a program" : "an API key"} ends its requests, runs, streams and channels on every node`, async (t) => {
      const [bearer, sessionId] = await letBearerIn(kind);
      const [{ id: ownSwarm }] = await insert("swarms", { name: "Own" });
      await insert("swarm_agents", { swarm_id: ownSwarm, agent_id: agentId });
      const following = async (swarm_id: string, message: string): Promise<[Response, string]> => {
        const body = { swarm_id, message, stream: true };
        const stream = await request("POST /functions/v1/agent-respond", bearer, { body, service: other });
        assert.equal(stream.status, 200);
        return [stream, stream.headers.get("x-run-id") ?? ""];
      };
      const [stream, running] = await following(ownSwarm, LONG_SLEEP);
      const queued = await call("POST /functions/v1/agent-respond", bearer, {
        swarm_id: ownSwarm,
        message: "Hello",
        stream: false,
        background: true,
        on_conflict: "enqueue",
      });
      assert.ok(queued.status < 300, JSON.stringify(queued.body));
      const socket = await RawClient.open(t, baseUrl, { apikey: one.credentials.anon_key });
      const joined = await socket.join(`realtime:swarm:${ownSwarm}`, { private: true }, bearer);
      assert.equal(joined["status"], "ok", JSON.stringify(joined));
      assert.equal((await call("GET /rest/v1/agents", bearer, undefined, other)).status, 200);

      await end(sessionId);
      for (const service of [one, other])
        assert.equal((await call("GET /rest/v1/agents", bearer, undefined, service)).status, 401);
      const queuedId = queued.body.run_id ?? queued.body.id ?? queued.body.run?.id;
      await until(async () => (await runOf(running)).status === "cancelled", "the running run is cancelled");
      assert.deepEqual(await runOf(queuedId), {
        status: "cancelled",
        stop_reason: "cancelled",
        client_id: kind === "program" ? CLIENT_ID : null,
      });
      await stream.text();
      await until(
        () =>
          socket.frames.some(([, , , event]) => event === "system" || event === "phx_close" || event === "phx_error"),
        "the channel ends",
      );
    });

  test("ends a run that waits, with its tool call, and not the one of a person", async () => {
    const { token: program, sessionId } = await letIn(["read", "run"]);
    const [{ id: waiter }] = await insert("agents", { name: "Waiter" });
    const [{ id: tool }] = (await call("GET /rest/v1/tools?name=eq.wait_for_event&select=id", token)).body;
    await insert("agent_tools", { agent_id: waiter, tool_id: tool });
    const start = async (bearer: string): Promise<string> => {
      const message = '/tool wait_for_event {"name": "paid", "seconds": 3600}';
      const body = { agent_id: waiter, message, stream: false };
      const answer = await call("POST /functions/v1/agent-respond", bearer, body);
      assert.deepEqual([answer.status, answer.body.status], [202, "waiting"]);
      return answer.body.run_id;
    };
    const [ofProgram, ofPerson] = [await start(program), await start(token)];
    await end(sessionId);
    assert.equal((await runOf(ofProgram)).status, "cancelled");
    assert.deepEqual(await runOf(ofPerson), { status: "waiting", stop_reason: null, client_id: null });
    const { rows } = await database.owner.query("select status from public.tool_executions where run_id = $1", [
      ofProgram,
    ]);
    assert.deepEqual(rows, [{ status: "cancelled" }]);
  });

  test("by a ban ends the runs of programs", async () => {
    const { token: program } = await letIn(ALL);
    const [{ id: ownSwarm }] = await insert("swarms", { name: "Own" });
    await insert("swarm_agents", { swarm_id: ownSwarm, agent_id: agentId });
    const body = { swarm_id: ownSwarm, message: LONG_SLEEP, stream: true };
    const stream = await request("POST /functions/v1/agent-respond", program, { body });
    const running = stream.headers.get("x-run-id") ?? "";
    await database.owner.query("update auth.users set banned_until = now() + interval '1 hour' where id = $1", [
      userId,
    ]);
    assert.equal((await call("GET /rest/v1/agents", program)).status, 401);
    await until(async () => (await runOf(running)).status === "cancelled", "the run is cancelled");
    await database.owner.query("update auth.users set banned_until = null where id = $1", [userId]);
    await stream.text();
  });

  test("leaves an account free to be deleted while a run of its program goes on", async () => {
    const signedUp = await call("POST /auth/v1/signup", null, {
      email: "eve@example.com",
      password: "correct horse battery",
    });
    const eve = signedUp.body.user.id;
    const bearer = signedUp.body.access_token;
    const [{ id: agent }] = (await call("POST /rest/v1/agents", bearer, { name: "Eve" })).body;
    const { token: program } = await letIn(ALL, { userId: eve });
    const body = { agent_id: agent, message: LONG_SLEEP, stream: true };
    const stream = await request("POST /functions/v1/agent-respond", program, { body });
    assert.equal(stream.status, 200);
    assert.equal((await call(`DELETE /auth/v1/admin/users/${eve}`, one.credentials.service_role_key)).status, 200);
    await stream.text();
  });
});

async function letBearerIn(kind: "program" | "API key"): Promise<[string, string]> {
  const scopes = ["read", "run", "write"];
  if (kind === "program") {
    const { token: bearer, sessionId } = await letIn(scopes);
    return [bearer, sessionId];
  }
  const { body } = await call("POST /functions/v1/api-keys", token, { action: "create", name: "key", scopes });
  return [body.key, body.api_key.id];
}

/** The route table of the service, with its extensions. */
async function listRoutes(): Promise<readonly Route[]> {
  const nothing = {} as never;
  const extensions = await loadExtensions({ names: NAMES, environment: {} });
  const run = (): Promise<never> => Promise.reject(new Error("not run"));
  return [
    ...authRoutes(authEndpoints, nothing),
    ...functionRoutes({ functions: FUNCTION_TABLE.map((row) => ({ ...row, run })), limits: nothing }),
    ...healthRoutes({
      version: "",
      findObstacle: async () => null,
      isHeldCopy: () => false,
      isLimitStoreAway: () => false,
    }),
    ...protectedResourceRoutes([], nothing),
    ...realtimeRoutes(nothing),
    ...restRoutes(nothing),
    ...toolCallRoutes(nothing),
    ...(extensions.flatMap(({ routes }) => routes) as unknown as Route[]),
  ];
}

/** What is in all tables of accounts and of the interface, apart from when a key was used. */
async function describeRows(): Promise<readonly Json[]> {
  const { rows: tables } = await database.owner.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('auth', 'public') order by 1`,
  );
  const found: Json[] = [];
  for (const { name } of tables) {
    const { rows } = await database.owner.query(
      `select count(*)::integer as rows, md5(string_agg(row::text, ',' order by row::text)) as hash
       from (select to_jsonb(t) - 'last_used_at' - 'seen_refresh_counter' as row from ${name} t) as all_rows`,
    );
    found.push([name, rows[0]]);
  }
  return found;
}
