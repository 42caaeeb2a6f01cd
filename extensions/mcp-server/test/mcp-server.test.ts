import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import {
  Client,
  type ClientOptions,
  type RequestOptions,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { Agent, fetch as fetchWith, type RequestInit, type Response } from "undici";
import { createTestDatabase } from "../../../server/test/support/database.ts";
import { findFreePort } from "../../../server/test/support/free-port.ts";
import { type ServiceHere, startServiceHere } from "../../../server/test/support/service-here.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { WAIT_MS } from "../../../server/test/support/wait-limit.ts";

const SITE = "https://app.example.com";
const ALL = ["read", "write", "run", "approve"];
const TOOLS = [
  "ask_agent",
  "ask_swarm",
  "decide_approval",
  "list_agents",
  "list_approvals",
  "list_swarms",
  "post_message",
  "read_messages",
  "search",
];
/** Longer than any test: only a cancelled run ends earlier. */
const LONG_SLEEP = "/sleep 600000";

const EVERYTHING = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/dist/index.js");

const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
let service: ServiceHere;
let dispatcher: Agent;
/** The user, with an agent that has a tool which needs approval, and a swarm. */
let ada: string;
/** Another user, who has nothing to do with Ada. */
let bob: string;
let agentId: string;
let swarmId: string;

function send(path: string, bearer: string | null, init: RequestInit = {}): Promise<Response> {
  return fetchWith(new URL(path, service.credentials.url), {
    dispatcher,
    ...init,
    headers: {
      ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(init.headers as Record<string, string>),
    },
  });
}

/** Untyped: assertions check its members. */
type Json = ReturnType<typeof JSON.parse>;

async function api(path: string, bearer: string | null, body?: unknown): Promise<Json> {
  const response = await send(path, bearer, {
    method: body === undefined ? "GET" : "POST",
    headers: { apikey: service.credentials.anon_key, prefer: "return=representation" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  assert.ok(response.ok, `${path}: ${response.status} ${text}`);
  return text === "" ? null : JSON.parse(text);
}

async function signUp(email: string): Promise<string> {
  return (await api("/auth/v1/signup", null, { email, password: "correct horse battery" })).access_token;
}

async function createKey(scopes: readonly string[]): Promise<string> {
  return (await api("/functions/v1/api-keys", ada, { action: "create", name: "mcp", scopes })).key;
}

/** The public client, as any program would use it. */
async function connect(
  bearer: string,
  options: ClientOptions = {},
  mode: "legacy" | "auto" = "auto",
): Promise<{ client: Client; transport: StreamableHTTPClientTransport }> {
  const transport = new StreamableHTTPClientTransport(new URL("/mcp", service.credentials.url), {
    authProvider: { token: async () => bearer },
    fetch: ((input: string, init: RequestInit) => fetchWith(input, { ...init, dispatcher })) as unknown as typeof fetch,
  });
  const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode }, ...options });
  await client.connect(transport);
  closers.unshift(() => client.close());
  return { client, transport };
}

/** Waits as long as any other condition: a busy machine takes longer than the client does by default. */
function callTool(
  client: Client,
  call: { name: string; arguments?: Record<string, unknown> },
  options: RequestOptions = {},
): Promise<Json> {
  return client.callTool(call, { timeout: WAIT_MS, ...options });
}

function textOf(result: Json): string {
  return result.content.map((part: { text: string }) => part.text).join("\n");
}

/** The code of a tool error. */
function codeOf(result: Json): string {
  assert.equal(result.isError, true, JSON.stringify(result));
  return result._meta["swarmbase/error"].code;
}

/** The status of the newest run of Ada that waits or has ended. */
async function waitForRun(status: string): Promise<void> {
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    const [run] = await api("/rest/v1/runs?select=status&order=id.desc&limit=1", ada);
    if (run?.status === status) return;
    assert.ok(Date.now() < deadline, `the run is ${run?.status}`);
    await delay(20);
  }
}

before(async () => {
  const { adminUrl: DATABASE_URL, masterKey: MASTER_KEY } = await createTestDatabase(cleanup);
  const dataDir = await createTemporaryFolder(cleanup, "swarmbase-mcp-");
  const serversFile = join(dataDir, "mcp-servers.json");
  const everything = { command: process.execPath, args: [EVERYTHING, "stdio"], allow_users: true };
  writeFileSync(serversFile, JSON.stringify({ mcpServers: { everything } }));
  service = await startServiceHere(cleanup, {
    dataDir,
    env: {
      DATABASE_URL,
      MASTER_KEY,
      EXTENSIONS: "mcp-server,mcp-client",
      BODY_LIMIT_BYTES: "65536",
      MCP_SERVERS_FILE: serversFile,
      SITE_URL: `${SITE}/start`,
    },
  });
  dispatcher = new Agent({ connect: { ca: readFileSync(service.credentials.ca_cert_file ?? "", "utf8") } });
  closers.unshift(() => dispatcher.close());
  [ada, bob] = [await signUp("ada@example.com"), await signUp("bob@example.com")];
  [{ id: agentId }] = await api("/rest/v1/agents", ada, { name: "Ann Lee", role: "Checks facts" });
  [{ id: swarmId }] = await api("/rest/v1/swarms", ada, { name: "Newsroom" });
  await api("/rest/v1/swarm_agents", ada, { swarm_id: swarmId, agent_id: agentId });
  const [calculator] = await api("/rest/v1/tools?name=eq.calculator&select=id", ada);
  const [publish] = await api("/rest/v1/tools", ada, {
    name: "publish",
    description: "Publishes",
    kind: "http",
    requires_approval: true,
    input_schema: { type: "object", properties: { title: { type: "string" } } },
    config: { method: "POST", url: `https://127.0.0.1:${await findFreePort()}/publish` },
  });
  for (const { id: tool_id } of [calculator, publish])
    await api("/rest/v1/agent_tools", ada, { agent_id: agentId, tool_id });
});
after(async () => {
  for (const close of closers) await close();
});

describe("the MCP server", () => {
  test("accepts the bearer of a user alone and requests of its own origins, and answers errors as JSON-RPC", async () => {
    const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
    const post = (bearer: string | null, body = ping, headers = {}): Promise<Response> =>
      send("/mcp", bearer, { method: "POST", body, headers });
    const anonymous = await post(null);
    const metadata = `${service.credentials.url}/.well-known/oauth-protected-resource/mcp`;
    const forPrograms = `, resource_metadata="${metadata}", scope="read run"`;
    const challengeOf = ({ headers }: Response): string | null => headers.get("www-authenticate");
    assert.deepEqual([anonymous.status, challengeOf(anonymous)], [401, `Bearer realm="mcp"${forPrograms}`]);
    const { jsonrpc, id, error } = (await anonymous.json()) as Json;
    assert.deepEqual([jsonrpc, id, error.code, error.data.code], ["2.0", null, -32_000, "UNAUTHORIZED"]);
    for (const bearer of [service.credentials.anon_key, service.credentials.service_role_key, "sk_forged"]) {
      const rejected = await post(bearer);
      const challenge = `Bearer realm="mcp", error="invalid_token"${forPrograms}`;
      assert.deepEqual([rejected.status, challengeOf(rejected)], [401, challenge]);
    }
    assert.equal((await post(ada, ping, { origin: "https://evil.example" })).status, 403);
    for (const origin of [SITE, service.credentials.url]) assert.equal((await post(ada, ping, { origin })).status, 200);
    for (const method of ["GET", "DELETE"]) assert.equal((await send("/mcp", ada, { method })).status, 405, method);

    const faults: readonly (readonly [string, Record<string, string>, number, number])[] = [
      ["{", {}, 400, -32_700],
      [`[${ping}]`, {}, 400, -32_600],
      ["null", {}, 400, -32_600],
      [ping, { "content-type": "text/plain" }, 415, -32_000],
      [JSON.stringify({ x: "x".repeat(70_000) }), {}, 413, -32_000],
    ];
    for (const [body, headers, status, code] of faults) {
      const response = await post(ada, body, headers);
      const answer = (await response.json()) as Json;
      assert.deepEqual([response.status, answer.error.code], [status, code], body.slice(0, 80));
    }
  });

  test("lists tools, agents, swarms, messages, transcripts and prompts of the caller alone", async () => {
    const { client } = await connect(await createKey(ALL));
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map(({ name }) => name).toSorted(), TOOLS);
    assert.ok(tools.every(({ annotations, outputSchema }) => annotations !== undefined && outputSchema !== undefined));
    const call = async (name: string, args = {}): Promise<Json> => {
      const result = await callTool(client, { name, arguments: args });
      assert.ok(result.isError !== true, JSON.stringify(result));
      return result.structuredContent;
    };
    assert.deepEqual((await call("list_agents")).agents[0].name, "Ann Lee");
    for (const content of ["The bridge is 100%_open", "Second", "Third"])
      assert.equal((await call("post_message", { swarm_id: swarmId, content })).message.content, content);
    const newest = await call("read_messages", { swarm_id: swarmId, limit: 2 });
    assert.deepEqual(
      newest.messages.map(({ content }: Json) => content),
      ["Second", "Third"],
    );
    const older = await call("read_messages", { swarm_id: swarmId, limit: 2, cursor: newest.next_cursor });
    assert.deepEqual([older.messages.length, older.next_cursor], [1, null]);
    for (const query of ["100%_OPEN", "bridge"])
      assert.equal((await call("search", { query })).messages[0].swarm_id, swarmId, query);
    assert.deepEqual(await call("search", { query: '100%x"(,)\\' }), { agents: [], swarms: [], messages: [] });
    assert.equal((await call("search", { query: "ann l" })).agents[0].id, agentId);
    assert.equal((await call("search", { query: "newsroo" })).swarms[0].id, swarmId);

    const { resources } = await client.listResources();
    assert.deepEqual(
      resources.map(({ title }) => title),
      ["Newsroom"],
    );
    const { contents } = await client.readResource({ uri: resources[0]?.uri ?? "" });
    assert.match((contents[0] as Json).text, /^# Newsroom\n\n[^]*is 100%_open[^]*Third$/);
    assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 1);
    const { prompts } = await client.listPrompts();
    assert.deepEqual(
      prompts.map(({ name }) => name),
      [`ask-ann-lee-${agentId}`],
    );
    const prompt = await client.getPrompt({ name: prompts[0]?.name ?? "", arguments: { message: "Is it open?" } });
    assert.match((prompt.messages[0] as Json).content.text, new RegExp(`${agentId}[^]*Is it open\\?$`));
    for (const failing of [
      () => client.getPrompt({ name: "ask-nobody", arguments: { message: "x" } }),
      () => client.getPrompt({ name: prompts[0]?.name ?? "" }),
      () => client.readResource({ uri: "swarmbase://swarms/x/transcript" }),
      () => client.listResources({ cursor: "x" }),
      () => callTool(client, { name: "drop_tables" }),
    ])
      await assert.rejects(failing, { code: -32_602 });

    const { client: other } = await connect(bob);
    const seen = async (name: string, args = {}): Promise<Json> => callTool(other, { name, arguments: args });
    assert.deepEqual((await seen("list_agents")).structuredContent, { agents: [], next_cursor: null });
    assert.deepEqual((await seen("list_swarms")).structuredContent, { swarms: [], next_cursor: null });
    assert.deepEqual((await seen("search", { query: "bridge" })).structuredContent.messages, []);
    assert.equal(codeOf(await seen("read_messages", { swarm_id: swarmId })), "SWARM_NOT_FOUND");
    assert.equal(codeOf(await seen("ask_agent", { agent_id: agentId, message: "Hi" })), "PERMISSION_DENIED");
    assert.equal(codeOf(await seen("ask_swarm", { swarm_id: swarmId, message: "Hi" })), "FORBIDDEN");
    assert.equal(codeOf(await seen("ask_swarm", { swarm_id: "x", message: "Hi" })), "VALIDATION_ERROR");
    await assert.rejects(other.readResource({ uri: resources[0]?.uri ?? "" }), { code: -32_602 });
    assert.deepEqual((await other.listPrompts()).prompts, []);
  });

  test("pages through agents with cursors", async () => {
    const { client } = await connect(bob);
    await api(
      "/rest/v1/agents",
      bob,
      Array.from({ length: 3 }, (_, index) => ({ name: `Agent ${index}` })),
    );
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const { structuredContent: page } = await callTool(client, {
        name: "list_agents",
        arguments: { limit: 2, ...(cursor !== undefined && { cursor }) },
      });
      names.push(...page.agents.map(({ name }: Json) => name));
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    assert.deepEqual(names.toSorted(), ["Agent 0", "Agent 1", "Agent 2"]);
  });

  test("a key sees the tools of its scopes, and calls of others name the scope", async () => {
    const read = await connect(await createKey(["read"]));
    assert.deepEqual((await read.client.listTools()).tools.map(({ name }) => name).toSorted(), [
      "list_agents",
      "list_approvals",
      "list_swarms",
      "read_messages",
      "search",
    ]);
    assert.deepEqual((await read.client.listPrompts()).prompts, []);
    const run = await connect(await createKey(["run"]));
    const calls: readonly (readonly [Client, string, object, string])[] = [
      [read.client, "post_message", { swarm_id: swarmId, content: "x" }, "write"],
      [read.client, "ask_agent", { agent_id: agentId, message: "x" }, "run"],
      [read.client, "ask_swarm", { swarm_id: swarmId, message: "x" }, "run"],
    ];
    for (const [client, name, args, scope] of calls) {
      const result = await callTool(client, { name, arguments: args as Record<string, unknown> });
      assert.equal(codeOf(result), "INSUFFICIENT_SCOPE");
      assert.match(textOf(result), new RegExp(`lacks the scope ${scope}`));
    }
    assert.ok(!(await run.client.listTools()).tools.some(({ name }) => name === "decide_approval"));
  });

  for (const mode of ["auto", "legacy"] as const)
    test(`streams an answer with a tool call as progress (${mode})`, async () => {
      const { client } = await connect(await createKey(["run"]), {}, mode);
      const progress: string[] = [];
      const result = await callTool(
        client,
        { name: "ask_agent", arguments: { agent_id: agentId, message: '/tool calculator {"expression":"6*7"}' } },
        { onprogress: ({ message = "" }) => void progress.push(message) },
      );
      assert.equal(result.isError, undefined, JSON.stringify(result));
      assert.match(textOf(result), /^\[simulated\] .* calculator returned: 42/);
      const [response] = result.structuredContent.responses;
      assert.deepEqual([response.agent_name, response.content], ["Ann Lee", textOf(result)]);
      assert.ok(progress.includes("Calling calculator"));
      assert.ok(progress.join("").endsWith(textOf(result)), progress.join(""));
    });

  test("an agent uses a tool of a program of the operator", async () => {
    const [tool] = await api("/rest/v1/tools", ada, {
      name: "echo",
      description: "Echoes",
      kind: "mcp",
      timeout_ms: 120_000,
      input_schema: { type: "object", properties: { message: { type: "string" } } },
      config: { server: "everything", remote_name: "echo" },
    });
    await api("/rest/v1/agent_tools", ada, { agent_id: agentId, tool_id: tool.id });
    const { client } = await connect(ada);
    const message = '/tool echo {"message":"from a program"}';
    const result = await callTool(client, { name: "ask_agent", arguments: { agent_id: agentId, message } });
    assert.match(textOf(result), /returned: Echo: from a program/);
    const { tools } = await api("/functions/v1/tools", ada, { action: "list", server: "everything" });
    assert.ok(tools.some(({ name }: Json) => name === "echo"));
  });

  test("the service reaches MCP servers on its own machine without TLS", async () => {
    const url = `http://127.0.0.1:${await findFreePort()}/mcp`;
    const tool = { name: "local", description: "On this machine", kind: "mcp", config: { url, remote_name: "x" } };
    const [{ id }] = await api("/rest/v1/tools", ada, tool);
    const { error } = await api("/functions/v1/tools", ada, { action: "test", tool_id: id });
    assert.equal(error.code, "TOOL_UNREACHABLE");
  });

  test("an answer that fails is a tool error with the code of the service", async () => {
    const { client } = await connect(ada);
    const result = await callTool(client, {
      name: "ask_swarm",
      arguments: { swarm_id: swarmId, message: "/fail refusal", agent_ids: [agentId] },
    });
    assert.notEqual(codeOf(result), "INTERNAL_ERROR");
    assert.match(textOf(result), /"status":"failed"/);
  });

  test("cancelling a request cancels its run, by closing the request or by a notification", async () => {
    for (const mode of ["auto", "legacy"] as const) {
      const { client } = await connect(ada, {}, mode);
      const cancelling = new AbortController();
      const asked = callTool(
        client,
        { name: "ask_agent", arguments: { agent_id: agentId, message: LONG_SLEEP } },
        { signal: cancelling.signal, onprogress: () => cancelling.abort() },
      );
      await assert.rejects(asked);
      await waitForRun("cancelled");
    }
  });

  test("a call that waits for an approval is a result, and decide_approval continues the run", async () => {
    const { client } = await connect(await createKey(ALL));
    const ask = async (): Promise<Json> => {
      const args = { agent_id: agentId, message: '/tool publish {"title":"Open"}' };
      const { structuredContent } = await callTool(client, { name: "ask_agent", arguments: args });
      assert.equal(structuredContent.status, "requires_action");
      return structuredContent.pending_approvals[0];
    };
    const { tool_execution_id } = await ask();
    const { structuredContent: waiting } = await callTool(client, { name: "list_approvals" });
    const { input, ...listed } = waiting.approvals[0];
    assert.deepEqual(
      [waiting.approvals.length, listed.tool_execution_id, listed.agent_name, input],
      [1, tool_execution_id, "Ann Lee", { title: "Open" }],
    );
    const decide = async (id: string, args: object): Promise<Json> =>
      callTool(client, { name: "decide_approval", arguments: { tool_execution_id: id, ...args } });
    const denied = await decide(tool_execution_id, { approved: false, reason: "Not today" });
    assert.match(textOf(denied), /TOOL_DENIED.*Not today/);
    assert.equal(denied.structuredContent.status, "completed");
    assert.notEqual(codeOf(await decide(tool_execution_id, { approved: true })), "INTERNAL_ERROR");
    assert.equal(codeOf(await decide(agentId, { approved: true })), "NOT_FOUND");

    const { tool_execution_id: second } = await ask();
    const runner = await connect(await createKey(["read", "run"]));
    const refused = await callTool(runner.client, {
      name: "decide_approval",
      arguments: { tool_execution_id: second, approved: true },
    });
    assert.equal(codeOf(refused), "INSUFFICIENT_SCOPE");
    assert.match(textOf(refused), /lacks the scope approve/);
    const { client: other } = await connect(bob);
    const hidden = await callTool(other, {
      name: "decide_approval",
      arguments: { tool_execution_id: second, approved: true },
    });
    assert.equal(codeOf(hidden), "NOT_FOUND");
    const approved = await decide(second, { approved: true });
    assert.equal(approved.structuredContent.status, "completed");
    assert.match(textOf(approved), /TOOL_(?:BLOCKED|UNREACHABLE)/);
  });

  test("a run that waits for a signal is a result, and holds no request", async () => {
    const [{ id: tool_id }] = await api("/rest/v1/tools?name=eq.wait_for_event&select=id", ada);
    await api("/rest/v1/agent_tools", ada, { agent_id: agentId, tool_id });
    const { client } = await connect(await createKey(ALL));
    const args = { agent_id: agentId, message: '/tool wait_for_event {"name":"go","seconds":3600}' };
    const waiting = await callTool(client, { name: "ask_agent", arguments: args });
    assert.match(textOf(waiting), /waits for the signal go, at most until 2/);
    const { status, run_id, pending_waits: waits } = waiting.structuredContent;
    assert.deepEqual([status, waits.length, waits[0].name], ["waiting", 1, "go"]);
    await api("/functions/v1/agent-respond", ada, { action: "signal", run_id, name: "go" });
    await waitForRun("completed");
  });

  test("a client that can ask its user gets the approval as a question, and the run continues with the answer", async () => {
    const ask = async (answer: Json): Promise<Json> => {
      const { client } = await connect(ada, { capabilities: { elicitation: {} } });
      const questions: string[] = [];
      client.setRequestHandler("elicitation/create", ({ params }) => {
        questions.push(params.message);
        return answer;
      });
      const args = { agent_id: agentId, message: '/tool publish {"title":"Open"}' };
      const result = await callTool(client, { name: "ask_agent", arguments: args });
      assert.deepEqual(questions, ['Ann Lee wants to call publish with {"title":"Open"}']);
      return result;
    };
    assert.match(textOf(await ask({ action: "accept", content: { approve: true } })), /TOOL_(?:BLOCKED|UNREACHABLE)/);
    assert.match(textOf(await ask({ action: "accept", content: { approve: false, reason: "Later" } })), /Later/);
    assert.match(textOf(await ask({ action: "decline" })), /TOOL_DENIED/);
    const left = await ask({ action: "cancel" });
    assert.equal(left.structuredContent.status, "requires_action");
    assert.match(textOf(left), /waits for an approval until/);
  });
});
