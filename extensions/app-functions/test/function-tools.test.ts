import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type FunctionCaller, verifyFunctionCall } from "@swarmbase/sdk";
import { Agent, fetch } from "undici";
import { createTestDatabase } from "../../../server/test/support/database.ts";
import type { Parsed } from "../../../server/test/support/extended-service.ts";
import { findFreePort } from "../../../server/test/support/free-port.ts";
import { startService } from "../../../server/test/support/service.ts";
import { type ServiceHere, startServiceHere } from "../../../server/test/support/service-here.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { openToolsForTest } from "../../../server/test/support/tool-stage.ts";
import { until } from "../../../server/test/support/until.ts";
import { extension } from "../src/index.ts";
import { type AppServer, type ReceivedCall, startAppServer } from "./support/app-server.ts";

const SECRET = "a-secret-of-at-least-32-characters";
const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
let app: AppServer;
let service: Pick<ServiceHere, "credentials" | "output">;
let stopService: ServiceHere["stop"];
let dispatcher: Agent;
let env: Readonly<Record<string, string>>;
let dataDir: string;
/** What the function `first` does before it answers. */
let onFirst: () => Promise<unknown> = async () => {};

async function send(token: string, line: string, body?: unknown, status?: number): Promise<Parsed> {
  const [method = "", path = ""] = line.split(" ");
  const response = await fetch(new URL(path, service.credentials.url), {
    method,
    dispatcher,
    headers: {
      apikey: service.credentials.anon_key,
      authorization: `Bearer ${token}`,
      prefer: "return=representation",
      "content-type": "application/json",
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  assert.ok(status === undefined ? response.ok : response.status === status, `${line} ${response.status} ${text}`);
  return text === "" ? null : JSON.parse(text);
}

const asService = (line: string, body: unknown): Promise<Parsed> =>
  send(service.credentials.service_role_key, line, body);

interface Person {
  readonly id: string;
  readonly email: string;
  readonly token: string;
}

let people = 0;
async function signUp(): Promise<Person> {
  const email = `person${(people += 1)}@example.com`;
  const body = { email, password: "correct horse battery" };
  const { access_token: token, user } = await send(service.credentials.anon_key, "POST /auth/v1/signup", body);
  return { id: user.id, email, token };
}

/** An agent of a person, with a tool of theirs for each function, which has its name. */
async function openAgent(owner: Person, names: readonly string[], more: object = {}): Promise<string> {
  const [agent] = await send(owner.token, "POST /rest/v1/agents", { name: "Ada" });
  for (const name of names) {
    const row = { name, description: "Calls the app.", kind: "function", config: { function: name }, ...more };
    const [tool] = await send(owner.token, "POST /rest/v1/tools", row);
    await send(owner.token, "POST /rest/v1/agent_tools", { agent_id: agent.id, tool_id: tool.id });
  }
  return agent.id;
}

async function listCalls(runId: string): Promise<Parsed[]> {
  const columns = "id,tool_name,status,error,tool_execution_payloads(output)";
  const path = `/rest/v1/tool_executions?run_id=eq.${runId}&order=created_at,id&select=${columns}`;
  const rows: Parsed[] = await send(service.credentials.service_role_key, `GET ${path}`);
  return rows.map(({ tool_execution_payloads: payload, ...row }) => ({ ...row, output: payload.output }));
}

/** The calls of a run whose agent calls the tools one after the other. */
async function respond(token: string, agentId: string, ...lines: string[]): Promise<Parsed[]> {
  const message = lines.map((line) => `/tool ${line}`).join("\n");
  const { run_id: runId } = await send(token, "POST /functions/v1/agent-respond", { agent_id: agentId, message });
  return listCalls(runId);
}

async function verifiedCall(call: ReceivedCall | undefined = app.calls.at(-1)): Promise<FunctionCaller> {
  assert.ok(call);
  return verifyFunctionCall(call.method === "GET" ? "" : call.body, call.headers, SECRET);
}

before(async () => {
  app = await startAppServer(cleanup, {
    "/pay": (_request, response) => void response.writeHead(200, { "content-type": "text/plain" }).end("paid"),
    "/first": async (_request, response) => {
      await onFirst();
      response.writeHead(204).end();
    },
    "/echo": (_request, response, { headers }) => void response.end(JSON.stringify(headers)),
    "/long": (_request, response) => void response.end("x".repeat(100_000)),
    "/failing": (_request, response) => void response.writeHead(409).end("ALREADY PAID"),
    "/silent": () => {},
  });
  dataDir = await createTemporaryFolder(cleanup, "swarmbase-function-tools-");
  const file = join(dataDir, "functions.json");
  const functions = {
    pay: { url: `${app.origin}/pay`, forward_token: true, methods: ["PUT", "POST"] },
    look: { url: `${app.origin}/pay?fixed=1`, methods: ["GET"], access: "bearer" },
    drop: { url: `${app.origin}/pay`, methods: ["DELETE"], access: "public" },
    first: { url: `${app.origin}/first`, access: "user" },
    echo: `${app.origin}/echo`,
    long: `${app.origin}/long`,
    failing: `${app.origin}/failing`,
    silent: { url: `${app.origin}/silent`, timeout_ms: 200 },
    gone: `http://127.0.0.1:${await findFreePort()}/`,
    internal: { url: `${app.origin}/pay`, access: "service" },
  };
  await writeFile(file, JSON.stringify(functions));
  const { adminUrl: DATABASE_URL, masterKey: MASTER_KEY } = await createTestDatabase(cleanup);
  env = {
    DATABASE_URL,
    MASTER_KEY,
    FUNCTIONS_FILE: file,
    FUNCTIONS_SECRET: SECRET,
  };
  const started = await startServiceHere(cleanup, { dataDir, env });
  service = started;
  stopService = started.stop;
  dispatcher = new Agent({ connect: { ca: await readFile(service.credentials.ca_cert_file ?? "", "utf8") } });
  cleanup.after(() => dispatcher.close());
});
after(async () => {
  for (const close of closers) await close();
});

describe("tools that call a function of the app", () => {
  test("send the arguments and the starter of the run, signed as a request of a client, and never a token", async () => {
    const ada = await signUp();
    const [execution] = await respond(ada.token, await openAgent(ada, ["pay"]), 'pay {"amount": 7}');
    assert.deepEqual([execution.status, execution.output], ["succeeded", "paid"]);
    const received = app.calls.at(-1);
    assert.deepEqual(JSON.parse(received?.body.toString() ?? ""), { amount: 7 });
    assert.equal(received?.headers["content-type"], "application/json");
    assert.equal(received?.headers["idempotency-key"], execution.id);
    for (const name of ["authorization", "apikey"]) assert.equal(received?.headers[name], undefined, name);
    assert.deepEqual(await verifiedCall(), {
      role: "authenticated",
      user_id: ada.id,
      email: ada.email,
      session_id: null,
      aal: "aal1",
      request_id: execution.id,
      function: "pay",
      method: "POST",
      query: "",
    });
    await assert.rejects(verifyFunctionCall("{}", received?.headers ?? {}, SECRET), { reason: "signature_mismatch" });
  });

  test("use the first method of a function without POST, and the query where there is no body", async () => {
    const ada = await signUp();
    const agentId = await openAgent(ada, ["look", "drop"]);
    await respond(ada.token, agentId, 'look {"name": "a b&c", "at": [1]}');
    assert.deepEqual([app.calls.at(-1)?.method, app.calls.at(-1)?.body.length], ["GET", 0]);
    assert.equal(app.calls.at(-1)?.url, "/pay?fixed=1&name=a+b%26c&at=%5B1%5D");
    assert.equal((await verifiedCall()).query, "?name=a+b%26c&at=%5B1%5D");
    await respond(ada.token, agentId, 'drop {"id": 1}');
    assert.deepEqual([app.calls.at(-1)?.method, app.calls.at(-1)?.body.toString()], ["DELETE", '{"id":1}']);
    assert.equal((await verifiedCall()).method, "DELETE");
  });

  /** An agent of somebody else that acts for everyone. */
  const openVouched = async (names: readonly string[]): Promise<string> => {
    const owner = await signUp();
    const agentId = await openAgent(owner, []);
    for (const name of names) {
      const row = { name, description: "Calls the app.", kind: "function", config: { function: name } };
      const [tool] = await asService("POST /rest/v1/tools", { ...row, owner_id: owner.id });
      await asService("POST /rest/v1/agent_tools", { agent_id: agentId, tool_id: tool.id });
    }
    await asService(`PATCH /rest/v1/agents?id=eq.${agentId}`, { acts_for_askers: true });
    await asService("POST /rest/v1/agent_grants", { agent_id: agentId, audience: "everyone" });
    return agentId;
  };

  test("act for an asker where the app vouches for agent, tool and assignment", async () => {
    const asker = await signUp();
    await respond(asker.token, await openVouched(["pay"]), "pay {}");
    const { user_id: userId, email } = await verifiedCall();
    assert.deepEqual([userId, email], [asker.id, asker.email]);
  });

  test("do not act any more when the app withdraws that during the run, or bans the starter", async () => {
    const asker = await signUp();
    const agentId = await openVouched(["first", "pay"]);
    const before = app.calls.length;
    onFirst = () => asService(`PATCH /rest/v1/agents?id=eq.${agentId}`, { acts_for_askers: false });
    const [, unusable] = await respond(asker.token, agentId, "first {}", "pay {}");
    assert.deepEqual([unusable.status, unusable.error.code], ["failed", "TOOL_UNUSABLE"]);
    assert.equal(app.calls.length, before + 1);

    const ada = await signUp();
    onFirst = () => asService(`PUT /auth/v1/admin/users/${ada.id}`, { ban_duration: "1h" });
    const [first, ...others] = await respond(ada.token, await openAgent(ada, ["first", "pay"]), "first {}", "pay {}");
    assert.equal(first.status, "succeeded");
    // A ban also cancels runs.
    for (const { status } of others) assert.match(status, /^(?:failed|cancelled)$/);
    assert.equal(app.calls.length, before + 2);
  });

  test("need the scopes of the API key that started the run, which the function gets", async () => {
    const ada = await signUp();
    const agentId = await openAgent(ada, ["pay", "look"]);
    const makeKey = (scopes: readonly string[]): Promise<Parsed> =>
      send(ada.token, "POST /functions/v1/api-keys", { action: "create", name: "key", scopes });
    const reading = await makeKey(["run", "read"]);
    const before = app.calls.length;
    const [refused] = await respond(reading.key, agentId, "pay {}");
    assert.deepEqual([refused.status, refused.error.code], ["failed", "TOOL_UNUSABLE"]);
    assert.match(refused.error.message, /lacks the scope write/);
    assert.equal(app.calls.length, before);
    const [read] = await respond(reading.key, agentId, "look {}");
    assert.equal(read.status, "succeeded");
    const writing = await makeKey(["run", "read", "write"]);
    await respond(writing.key, agentId, "pay {}");
    const caller = await verifiedCall();
    assert.deepEqual(
      [caller.user_id, caller.api_key_id, caller.scopes?.toSorted()],
      [ada.id, writing.api_key.id, ["read", "run", "write"]],
    );
    const [other] = await respond(await makeKey(["run", "write"]).then(({ key }) => key), agentId, "look {}");
    assert.match(other.error.message, /lacks the scope read/);
  });

  test("report a status that is no success, a function that does not answer, and cut a long answer", async () => {
    const ada = await signUp();
    const names = ["failing", "silent", "gone", "first", "long"];
    onFirst = async () => {};
    const agentId = await openAgent(ada, names, { max_output_chars: 1_000 });
    const executions = await respond(ada.token, agentId, ...names.map((name) => `${name} {}`));
    const outcomes = executions.map(({ tool_name: name, status, error }) => [name, status, error?.code ?? null]);
    assert.deepEqual(outcomes, [
      ["failing", "failed", "TOOL_HTTP_ERROR"],
      ["silent", "failed", "TOOL_UNREACHABLE"],
      ["gone", "failed", "TOOL_UNREACHABLE"],
      ["first", "succeeded", null],
      ["long", "succeeded", null],
    ]);
    assert.equal(executions[3].output, "[empty answer, status 204]");
    assert.ok(executions[4].output.length <= 1_000);
    assert.doesNotMatch(JSON.stringify(executions.slice(0, 3)), /ALREADY PAID|127\.0\.0\.1/);
  });

  test("hide the signature that a function echoes", async () => {
    const ada = await signUp();
    const [{ output }] = await respond(ada.token, await openAgent(ada, ["echo"]), "echo {}");
    assert.equal(output["x-service-signature"], "sha256=[secret]");
  });

  test("are tested as the caller, without the session", async () => {
    const ada = await signUp();
    const row = { name: "pay", description: "Pays.", kind: "function", config: { function: "pay" } };
    const [tool] = await send(ada.token, "POST /rest/v1/tools", row);
    const asked = { action: "test", tool_id: tool.id, input: { amount: 1 } };
    assert.equal((await send(ada.token, "POST /functions/v1/tools", asked)).output, "paid");
    const caller = await verifiedCall();
    assert.deepEqual([caller.user_id, caller.session_id], [ada.id, null]);
    const byService = await asService("POST /functions/v1/tools", asked);
    assert.deepEqual([byService.status, byService.error.code], ["failed", "TOOL_UNUSABLE"]);
  });

  test("name a function of the file that a user may call, and nothing else", async () => {
    const ada = await signUp();
    const faultOf = async (config: object): Promise<Parsed> => {
      const row = { name: "pay", description: "Pays.", kind: "function", config };
      return JSON.stringify((await send(ada.token, "POST /rest/v1/tools", row, 400)).details);
    };
    for (const name of ["other", "constructor", 1, null])
      assert.match(await faultOf({ function: name }), /must be the name of a function/);
    assert.match(await faultOf({ function: "internal" }), /is only for the service role/);
    assert.match(await faultOf({ function: "pay", url: "https://evil.example.com" }), /is not known/);
  });

  test("exist without FUNCTIONS_FILE, and say so", (t) => {
    const { checks } = openToolsForTest(t, { extension });
    assert.deepEqual(checks.findConfigFaults("function", { function: "pay" }), [
      { path: "function", message: "cannot be called: FUNCTIONS_FILE is not set on this service" },
    ]);
  });

  test("repeat the call of a node that was lost with the same key", async () => {
    const ada = await signUp();
    const agentId = await openAgent(ada, ["first"], { idempotent: true });
    const before = app.calls.length;
    onFirst = () => new Promise(() => {});
    await stopService();
    const lost = await startService(cleanup, { dataDir, env });
    service = lost;
    const asked = { agent_id: agentId, message: '/tool first {"amount": 7}', background: true };
    const { run_id: runId } = await send(ada.token, "POST /functions/v1/agent-respond", asked);
    await until(() => app.calls.length === before + 1);
    await lost.stop("SIGKILL");
    onFirst = async () => {};
    service = await startServiceHere(cleanup, { dataDir, env });
    await until(
      async () => (await send(ada.token, `GET /rest/v1/runs?id=eq.${runId}`))[0].status === "completed",
      "the run ends",
      () => service.output(),
    );
    const [first, again] = app.calls.slice(before);
    assert.equal(app.calls.length, before + 2);
    assert.equal(again?.headers["idempotency-key"], first?.headers["idempotency-key"]);
    assert.deepEqual(again?.body, first?.body);
    assert.equal((await verifiedCall(again)).user_id, ada.id);
  });
});
