import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { API_KEY_SCOPES, SECRET_COLUMNS } from "@swarmbase/sdk";
import { RawClient } from "../realtime/support/raw-client.ts";
import { type ExtendedService, type Parsed, startExtendedService, type User } from "../support/extended-service.ts";
import { until } from "../support/until.ts";

const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
const SECRET = "a credential of another host";
const ALL = [...API_KEY_SCOPES];
let service: ExtendedService;
let ada: User;
let agentId: string;
let swarmId: string;
let webhookId: string;

interface Answer {
  readonly status: number;
  readonly body: Parsed;
}

before(async () => {
  service = await startExtendedService(cleanup, {
    EXTENSIONS: "openai-api,mcp-server,a2a,ag-ui,account-export,mcp-client",
    API_KEYS_PER_USER: "100",
  });
  ada = await service.signUp("ada");
  ({ id: agentId } = await ada.insert("agents", { name: "Ann" }));
  ({ id: swarmId } = await ada.insert("swarms", { name: "Team" }));
  await ada.insert("swarm_agents", { swarm_id: swarmId, agent_id: agentId });
  await ada.insert("messages", { swarm_id: swarmId, content: "A private message" });
  ({ id: webhookId } = await ada.insert("webhooks", {
    name: "hook",
    url: "https://one.example.com/in",
    events: ["agent.created"],
    headers: { Authorization: SECRET },
  }));
  const config = { url: "https://api.example.com", headers: { "X-Token": SECRET } };
  const tool = await ada.insert("tools", { name: "look_up", description: "Looks up.", config });
  await ada.insert("agent_tools", { agent_id: agentId, tool_id: tool.id, configuration: { account: SECRET } });
  await ada.insert("guardrails", {
    agent_id: agentId,
    name: "Hook",
    kind: "webhook",
    stage: "input",
    is_active: false,
    config: { url: "https://api.example.com/", headers: { "X-Token": SECRET } },
  });
});
after(async () => {
  for (const close of closers) await close();
});

async function makeKey(scopes: readonly string[], more: object = {}): Promise<string> {
  const body = { action: "create", name: "key", scopes, ...more };
  return (await ada.send("POST", "/functions/v1/api-keys", body, 201)).key;
}

async function call(key: string, operation: string, body?: unknown, headers: object = {}): Promise<Answer> {
  const [method = "", path = ""] = operation.split(" ");
  const response = await service.fetch(new URL(path, service.url), {
    method,
    headers: {
      apikey: service.service.credentials.anon_key,
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") === true;
  return { status: response.status, body: isJson && text !== "" ? JSON.parse(text) : text };
}

async function reject(...args: Parameters<typeof call>): Promise<string> {
  const { status, body } = await call(...args);
  return `${status} ${body?.code}`;
}

async function ask(key: string, body: object): Promise<Answer> {
  return call(key, "POST /functions/v1/agent-respond", body);
}

const NO_SCOPE = "403 INSUFFICIENT_SCOPE";

describe("secrets", () => {
  const tables = Object.entries(SECRET_COLUMNS);

  test("are left out of all columns, and may not be named, without the scope", async () => {
    const key = await makeKey(ALL.filter((scope) => scope !== "secrets"));
    for (const [table, columns] of tables) {
      for (const headers of [{}, { accept: "text/csv" }]) {
        const { status, body } = await call(key, `GET /rest/v1/${table}?select=*`, undefined, headers);
        assert.equal(status, 200);
        const text = JSON.stringify(body);
        assert.ok(text.length > 20 && !text.includes(SECRET), table);
        for (const column of columns) assert.ok(!text.includes(`"${column}`), `${table}.${column}`);
      }
      const first = columns[0] ?? "";
      for (const query of [
        `select=${first}`,
        `select=x:${first}`,
        `select=*,${first}`,
        `select=${first}::text`,
        `select=${first}.count()`,
        `select=${first}->a`,
        `select=row_to_json`,
        `select=to_jsonb`,
        `select=${table}`,
        `${first}=is.null`,
        `or=(id.is.null,${first}.is.null)`,
        `order=${first}`,
      ])
        assert.equal(await reject(key, `GET /rest/v1/${table}?${query}`), NO_SCOPE, `${table}?${query}`);
    }
    const nested = await call(key, "GET /rest/v1/agents?select=name,agent_tools(*,tool(*)),guardrails(*)");
    assert.equal(nested.status, 200);
    assert.ok(!JSON.stringify(nested.body).includes(SECRET));
    for (const query of [
      "select=agent_tools(configuration)",
      "select=name,agent_tools!inner()&agent_tools.configuration=not.is.null",
      "select=name,...agent_tools(configuration)",
      "select=agent_tools(tool(config))",
    ])
      assert.equal(await reject(key, `GET /rest/v1/agents?${query}`), NO_SCOPE, query);
    assert.equal(await reject(key, "GET /rest/v1/agent_tools?select=id,tools(id)&order=tools(config)"), NO_SCOPE);
    const patch = `PATCH /rest/v1/webhooks?id=eq.${webhookId}`;
    const whole = { prefer: "return=representation" };
    const written = await call(key, patch, { name: "renamed" }, whole);
    assert.deepEqual([written.status, written.body[0].name, written.body[0].secret], [200, "renamed", undefined]);
    assert.equal(await reject(key, `${patch}&select=secret`, { name: "hook" }, whole), NO_SCOPE);
    assert.equal(await reject(key, `${patch}&secret=like.whsec*`, { name: "hook" }), NO_SCOPE);
    const operations = [{ method: "GET", path: "/webhooks?select=secret" }];
    assert.equal((await call(key, "POST /functions/v1/batch", { operations })).status, 403);
    const regenerate = { action: "regenerate_secret", webhook_id: webhookId };
    assert.equal(await reject(key, "POST /functions/v1/webhooks", regenerate), NO_SCOPE);
  });

  test("are readable with the scope, as by their owner", async () => {
    const key = await makeKey(["read", "secrets"]);
    for (const [table] of tables) {
      const { body } = await call(key, `GET /rest/v1/${table}`);
      assert.deepEqual(body, await ada.send("GET", `/rest/v1/${table}`), table);
    }
  });

  test("do not go to another host that a key chose", async () => {
    const sharing = await makeKey(["read", "share"]);
    const path = `/rest/v1/webhooks?id=eq.${webhookId}`;
    const patch = `PATCH ${path}`;
    const readHook = async (): Promise<Parsed> => (await ada.send("GET", path))[0];
    const before = await readHook();
    await call(sharing, patch, { url: "https://one.example.com/other" });
    assert.deepEqual((await readHook()).headers, { Authorization: SECRET }, "the same host keeps them");
    await call(sharing, patch, { url: "https://two.example.com/in" });
    const moved = await readHook();
    assert.deepEqual([moved.url, moved.headers], ["https://two.example.com/in", {}]);
    assert.notEqual(moved.secret, before.secret);
    const both = await makeKey(["read", "share", "secrets"]);
    await ada.send("PATCH", path, { headers: { Authorization: SECRET } });
    await call(both, patch, { url: "https://one.example.com/in" });
    assert.deepEqual((await readHook()).headers, { Authorization: SECRET });
    for (const scopes of [["read", "write"], ["share"], ["write", "share"]]) {
      const url = "https://evil.example.com/";
      assert.equal(await reject(await makeKey(scopes), patch, { url }), NO_SCOPE, String(scopes));
    }
  });
});

describe("a key that only runs", () => {
  test("asks an agent in its own conversation, and sees that alone", async () => {
    const asked = { agent_id: agentId, message: "Hello from the person" };
    const own = await ada.send("POST", "/functions/v1/agent-respond", asked);
    const [key, other] = [await makeKey(["run"]), await makeKey(["run"])];
    const { status, body: run } = await ask(key, { agent_id: agentId, message: "Hello from the key" });
    assert.equal(status, 200);
    assert.notEqual(run.swarm_id, own.swarm_id, "the conversation of the person stays theirs");
    const again = (await ask(key, { agent_id: agentId, message: "Again" })).body;
    assert.equal(again.swarm_id, run.swarm_id);
    assert.notEqual((await ask(other, { agent_id: agentId, message: "Hello" })).body.swarm_id, run.swarm_id);
    const read = async (path: string): Promise<Parsed> => (await call(key, `GET /rest/v1/${path}`)).body;
    assert.deepEqual(await read("agents?select=id"), [{ id: agentId }]);
    assert.deepEqual(
      (await read("runs?select=id&order=created_at")).map(({ id }: { id: string }) => id),
      [run.run_id, again.run_id],
    );
    assert.deepEqual(await read(`runs?id=eq.${own.run_id}`), []);
    const messages = JSON.stringify(await read("messages"));
    assert.ok(messages.includes("Hello from the key") && !/from the person|private message/.test(messages));
    for (const table of ["swarm_members", "webhooks", "tools", "agent_versions", "profiles", "usage_records"])
      assert.equal(await reject(key, `GET /rest/v1/${table}`), NO_SCOPE, table);
    // A person sees the conversation of the key.
    assert.equal((await ada.send("GET", `/rest/v1/runs?id=eq.${run.run_id}`)).length, 1);
    for (const action of ["attach", "cancel"])
      assert.equal(
        await reject(key, "POST /functions/v1/agent-respond", { action, run_id: own.run_id }),
        "404 RUN_NOT_FOUND",
      );
    assert.equal((await ask(key, { action: "attach", run_id: run.run_id, stream: false })).status, 200);
    assert.equal((await ask(other, { action: "attach", run_id: run.run_id })).status, 404);
  });

  test("sends signals to the runs that it started, and nothing after it was revoked", async () => {
    const [waits] = await ada.send("GET", "/rest/v1/tools?name=eq.wait_for_event&select=id");
    const { id: waiter } = await ada.insert("agents", { name: "Waiter" });
    await ada.insert("agent_tools", { agent_id: waiter, tool_id: waits.id });
    const message = '/tool wait_for_event {"name": "paid", "seconds": 3600}';
    const made = await ada.send(
      "POST",
      "/functions/v1/api-keys",
      { action: "create", name: "k", scopes: ["run"] },
      201,
    );
    const { key } = made;
    const start = async (token: string): Promise<string> => {
      const { status, body } = await ask(token, { agent_id: waiter, message });
      assert.deepEqual([status, body.status], [202, "waiting"]);
      return body.run_id;
    };
    const signal = async (token: string, run_id: string, more: object = {}): Promise<string> => {
      const { status, body } = await ask(token, { action: "signal", run_id, name: "paid", ...more });
      return `${status} ${status === 200 ? body.run_id === run_id : body.code}`;
    };
    const runId = await start(key);
    assert.equal(await signal(await makeKey(["run"]), runId), "404 RUN_NOT_FOUND");
    for (const scopes of [["read"], ["read", "write", "approve", "share"]])
      assert.equal(await signal(await makeKey(scopes), runId), NO_SCOPE, String(scopes));
    assert.equal(
      await signal(await makeKey(["read", "run"], { resources: { swarms: [swarmId] } }), runId),
      "404 RUN_NOT_FOUND",
    );
    assert.equal(await signal(await makeKey(["run"]), await start(ada.token)), "404 RUN_NOT_FOUND");
    for (const data of ["\u0000", "x".repeat(32_767), JSON.parse("[".repeat(40) + "]".repeat(40)), "\ud800"])
      assert.equal(await signal(key, runId, { data }), "400 VALIDATION_ERROR");
    for (const name of ["", "a b", "é", "-x", "x".repeat(101), 7, null, "__proto__"])
      assert.equal(await signal(key, runId, { name }), "400 VALIDATION_ERROR", String(name));
    assert.equal(await signal(key, runId, { user_id: swarmId }), "403 FORBIDDEN");
    assert.equal(await signal(key, runId, { data: "x".repeat(32_766) }), "200 true");
    await until(async () => (await ada.send("GET", `/rest/v1/runs?id=eq.${runId}`))[0].status === "completed");
    assert.equal(await signal(key, runId), "409 RUN_ENDED");

    const later = await start(key);
    await ada.send("POST", "/functions/v1/api-keys", { action: "revoke", id: made.api_key.id });
    assert.match(await signal(key, later), /^401/);
    assert.equal(await signal(ada.token, later), "409 RUN_ENDED");
    const [ended] = await ada.send("GET", `/rest/v1/runs?id=eq.${later}`);
    assert.deepEqual([ended.status, ended.stop_reason], ["cancelled", "cancelled"]);
    await ada.send("DELETE", `/rest/v1/agents?id=eq.${waiter}`);
  });

  test("asks in no other swarm, in none by storing a message, and reads no one by an Idempotency-Key", async () => {
    const key = await makeKey(["run"]);
    const asked = { swarm_id: swarmId, message: "What was said before?" };
    assert.equal(await reject(key, "POST /functions/v1/agent-respond", asked), "403 FORBIDDEN");
    const bound = await makeKey(["run"], { resources: { swarms: [swarmId] } });
    assert.equal((await ask(bound, asked)).status, 200);
    assert.equal(
      await reject(bound, "POST /functions/v1/agent-respond", { agent_id: agentId, message: "Hi" }),
      "403 FORBIDDEN",
    );
    assert.deepEqual((await call(bound, "GET /rest/v1/messages?content=like.A private*")).body, []);

    const { id: loud } = await ada.insert("swarms", { name: "Loud", settings: { auto_respond: true } });
    await ada.insert("swarm_agents", { swarm_id: loud, agent_id: agentId });
    const message = { swarm_id: loud, content: "Hello" };
    for (const scopes of [["write"], ["write", "run"], ["read", "write"]])
      assert.equal(await reject(await makeKey(scopes), "POST /rest/v1/messages", message), NO_SCOPE, String(scopes));
    const quiet = { swarm_id: swarmId, content: "Hello" };
    assert.equal((await call(await makeKey(["write"]), "POST /rest/v1/messages", quiet)).status, 201);

    const repeated = { "idempotency-key": "once" };
    const body = { agent_id: agentId, message: "Only once" };
    const person = (await call(ada.token, "POST /functions/v1/agent-respond", body, repeated)).body;
    const replayed = (await call(key, "POST /functions/v1/agent-respond", body, repeated)).body;
    assert.notEqual(replayed.run_id, person.run_id);
    const hook = { name: "h", url: "https://one.example.com/", events: ["agent.created"] };
    const headers = { "idempotency-key": "hook", prefer: "return=representation" };
    const [made] = (await call(ada.token, "POST /rest/v1/webhooks", hook, headers)).body;
    const stolen = await call(await makeKey(["read", "share"]), "POST /rest/v1/webhooks", hook, headers);
    assert.ok(!JSON.stringify(stolen.body).includes(made.secret));
  });

  test("is enough for the protocols, which show nothing else", async () => {
    const key = await makeKey(["run"]);
    const models = (await call(key, "GET /v1/models")).body.data.map(({ id }: { id: string }) => id);
    assert.deepEqual(models, [`agent:${agentId}`]);
    const messages = [{ role: "user", content: "Hello" }];
    const chat = await call(key, "POST /v1/chat/completions", { model: `agent:${agentId}`, messages });
    assert.equal(chat.status, 200, JSON.stringify(chat.body));
    const refused = await call(key, "POST /v1/chat/completions", { model: `swarm:${swarmId}`, messages });
    assert.ok(refused.status >= 403 && refused.status < 500);
    const stored = await call(key, "POST /v1/responses", { model: `agent:${agentId}`, input: "Hello", store: true });
    assert.equal((await call(key, `GET /v1/responses/${stored.body.id}`)).status, 200);
    assert.equal((await call(await makeKey(["run"]), `GET /v1/responses/${stored.body.id}`)).status, 404);

    const agui = { threadId: "t", runId: "r1", state: {}, tools: [], context: [], forwardedProps: {} };
    const question = [{ id: "m", role: "user", content: "Hello" }];
    const sse = { accept: "text/event-stream" };
    const events = await call(key, `POST /ag-ui/agents/${agentId}`, { ...agui, messages: question }, sse);
    assert.match(events.body, /RUN_FINISHED/);
    const snapshot = await call(key, `POST /ag-ui/swarms/${swarmId}`, { ...agui, messages: [] }, sse);
    assert.ok(!JSON.stringify(snapshot.body).includes("private message"));

    const a2a = { "a2a-version": "1.0" };
    const parts = [{ text: "Hello" }];
    const send = { message: { messageId: "a2a-1", role: "ROLE_USER", parts } };
    const task = await call(key, `POST /a2a/agents/${agentId}/message:send`, send, a2a);
    assert.equal(task.status, 200, JSON.stringify(task.body));
    const push = { ...send, message: { ...send.message, messageId: "a2a-2" } };
    const configuration = { taskPushNotificationConfig: { url: "https://one.example.com/push" } };
    assert.equal(
      (await call(key, `POST /a2a/agents/${agentId}/message:send`, { ...push, configuration }, a2a)).status,
      403,
    );

    const rpc = (method: string, params: object) =>
      call(
        key,
        "POST /mcp",
        { jsonrpc: "2.0", id: 1, method, params },
        { accept: "application/json, text/event-stream" },
      );
    const called = await rpc("tools/call", { name: "read_messages", arguments: { swarm_id: swarmId } });
    assert.ok(!JSON.stringify(called.body).includes("private message"));
    const said = await rpc("tools/call", { name: "ask_agent", arguments: { agent_id: agentId, message: "Hello" } });
    assert.equal(said.status, 200);
    assert.match(JSON.stringify(said.body), /Hello/);
  });

  test("reaches no account with any scope", async () => {
    const key = await makeKey(ALL);
    assert.equal(await reject(key, "GET /account-export"), "403 API_KEY_NOT_ALLOWED");
    assert.equal(await reject(key, "GET /auth/v1/user"), "403 API_KEY_NOT_ALLOWED");
  });
});

describe("a key that is bound to resources", () => {
  test("has its scopes on these alone", async () => {
    const { id: other } = await ada.insert("agents", { name: "Other" });
    const key = await makeKey(ALL, { resources: { agents: [other] } });
    const read = async (path: string): Promise<Parsed> => (await call(key, `GET /rest/v1/${path}`)).body;
    assert.deepEqual(await read("agents?select=id"), [{ id: other }]);
    for (const table of ["swarms", "messages", "webhooks", "tools", "guardrails", "swarm_members", "usage_records"])
      assert.deepEqual(await read(table), [], table);
    assert.equal((await call(key, `PATCH /rest/v1/agents?id=eq.${other}`, { role: "Helper" })).status, 204);
    for (const [operation, body] of [
      ["POST /rest/v1/agents", { name: "Third" }],
      ["POST /rest/v1/swarms", { name: "Third" }],
      ["POST /rest/v1/webhooks", { name: "h", url: "https://one.example.com/", events: ["agent.created"] }],
      ["POST /functions/v1/test-webhook", { webhook_id: webhookId, event_type: "agent.created" }],
      ["POST /functions/v1/tools", { action: "list_authorizations" }],
    ] as const)
      assert.equal((await call(key, operation, body)).status, 403, operation);
    const missed = await call(key, `PATCH /rest/v1/agents?id=eq.${agentId}`, { role: "Helper" });
    assert.equal(missed.status, 404);
    assert.equal((await ask(key, { agent_id: other, message: "Hi" })).status, 200);
    assert.equal((await ask(key, { agent_id: agentId, message: "Hi" })).status, 403);
    assert.equal((await read("swarms?select=name")).length, 1, "the conversation that it started");
  });
});

describe("realtime", () => {
  test("joins nothing without read, hides secrets, and shows a bound key its own rows", async () => {
    const { anon_key: apikey, ca_cert_file: file } = service.service.credentials;
    const socket = await RawClient.open(cleanup, service.url, { apikey, ca: readFileSync(file ?? "", "utf8") });
    const tables = (...names: string[]) => ({
      postgres_changes: names.map((table) => ({ event: "*", schema: "public", table })),
    });
    for (const scope of API_KEY_SCOPES.filter((name) => name !== "read")) {
      const key = await makeKey([scope]);
      assert.equal((await socket.join(`realtime:${scope}`, tables("messages"), key))["status"], "error", scope);
      const swarm = await socket.join(`realtime:swarm:${swarmId}`, { private: true }, key);
      assert.equal(swarm["status"], "error", scope);
    }
    const reader = await makeKey(["read"]);
    const filter = { event: "*", schema: "public", table: "tools", filter: "config=neq.1" };
    const filtered = await socket.join("realtime:filter", { postgres_changes: [filter] }, reader, "f");
    assert.equal(filtered["status"], "error");
    assert.equal((await socket.join("realtime:all", tables("tools", "messages"), reader, "a"))["status"], "ok");
    const { id: room } = await ada.insert("swarms", { name: "Room" });
    const bound = await makeKey(["read"], { resources: { swarms: [room] } });
    assert.equal((await socket.join("realtime:room", tables("messages"), bound, "b"))["status"], "ok");
    const joined = await socket.join(`realtime:swarm:${swarmId}`, { private: true }, bound, "c");
    assert.equal(joined["status"], "error");
    await ada.insert("tools", {
      name: "other",
      description: "d",
      config: { url: "https://x.example.com", headers: { "X-Token": SECRET } },
    });
    await ada.insert("messages", { swarm_id: swarmId, content: "Not for the bound key" });
    await ada.insert("messages", { swarm_id: room, content: "For the bound key" });
    const seenBy = (topic: string): string =>
      JSON.stringify(socket.frames.filter(([, , name, event]) => name === topic && event === "postgres_changes"));
    await until(() => seenBy("realtime:room").includes("For the bound key"));
    await until(() => seenBy("realtime:all").includes("For the bound key"));
    assert.ok(!seenBy("realtime:room").includes("Not for"));
    assert.match(seenBy("realtime:all"), /"name":"other"/);
    assert.ok(!seenBy("realtime:all").includes(SECRET));
  });
});

describe("approvals", () => {
  const server = "https://mcp.example.com/mcp";
  const toolOf = (name: string, more: object = {}) => ({
    name,
    description: "Calls the server.",
    kind: "mcp",
    config: { url: server, remote_name: "delete", auth: { type: "oauth" } },
    ...more,
  });

  test("stay with the server: a copy, by whoever, asks until a person decides otherwise", async () => {
    await ada.insert("tools", toolOf("original", { requires_approval: true }));
    const key = await makeKey(["read", "write", "run", "secrets"]);
    const whole = { prefer: "return=representation" };
    const [copy] = (await call(key, "POST /rest/v1/tools", toolOf("copy"), whole)).body;
    assert.equal(copy.requires_approval, true);
    const test = { action: "test", tool_id: copy.id, input: {} };
    assert.equal(await reject(key, "POST /functions/v1/tools", test), "403 API_KEY_NOT_ALLOWED");
    const { config } = toolOf("elsewhere");
    const elsewhere = { config: { ...config, url: "https://other.example.com/mcp" } };
    const { id, requires_approval } = await ada.insert("tools", toolOf("elsewhere", elsewhere));
    assert.equal(requires_approval, false);
    const [moved] = (await call(key, `PATCH /rest/v1/tools?id=eq.${id}`, { config }, whole)).body;
    assert.equal(moved.requires_approval, true);
    const release = { requires_approval: false };
    assert.equal(await reject(key, `PATCH /rest/v1/tools?id=eq.${copy.id}`, release), NO_SCOPE);
    // Deleting all of them does not end the requirement.
    await call(key, "DELETE /rest/v1/tools?kind=eq.mcp");
    const [later] = (await call(key, "POST /rest/v1/tools", toolOf("later"), whole)).body;
    assert.equal(later.requires_approval, true);
    await ada.send("PATCH", `/rest/v1/tools?id=eq.${later.id}`, release);
    const [free] = (await call(key, "POST /rest/v1/tools", toolOf("free"), whole)).body;
    assert.equal(free.requires_approval, false, "a person has ended it");
  });
});

describe("fixed arguments of an assignment", () => {
  test("reach the tool, and are stored with no call and in no event", async () => {
    const { id: own } = await ada.insert("agents", { name: "Cal" });
    const [tool] = await ada.send("GET", "/rest/v1/tools?name=eq.calculator");
    await ada.insert("agent_tools", { agent_id: own, tool_id: tool.id, configuration: { expression: "6*7" } });
    const asked = { agent_id: own, message: "/tool calculator {}" };
    const { run_id } = await ada.send("POST", "/functions/v1/agent-respond", asked);
    const select = "status,tool_execution_payloads(input,output)";
    const [execution] = await ada.send("GET", `/rest/v1/tool_executions?run_id=eq.${run_id}&select=${select}`);
    assert.equal(execution.status, "succeeded");
    assert.deepEqual(execution.tool_execution_payloads.input, {});
    assert.match(JSON.stringify(execution.tool_execution_payloads.output), /42/);
    const events = await ada.send("GET", `/rest/v1/run_events?run_id=eq.${run_id}&type=like.tool*`);
    assert.ok(events.length > 0 && !JSON.stringify(events).includes("6*7"));
  });
});
