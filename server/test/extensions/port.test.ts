import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { connect } from "node:tls";
import { fileURLToPath } from "node:url";
import { Agent, fetch, type RequestInit, type Response } from "undici";
import { createTestDatabase } from "../support/database.ts";
import { runHere } from "../support/run-here.ts";
import { type ServiceHere, startServiceHere } from "../support/service-here.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";

const NOTES = fileURLToPath(new URL("fixtures/notes/index.ts", import.meta.url));
const BODY_LIMIT = 4_096;

interface Account {
  readonly id: string;
  readonly token: string;
}

const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
/** Where its data is. */
let place: { readonly DATA_DIR: string; readonly DATABASE_URL: string; readonly MASTER_KEY: string };
let service: ServiceHere;
let dispatcher: Agent;
let ada: Account;
let bob: Account;

interface CallOptions {
  readonly token?: string | null;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A call with the public key, unless `token` is null, and with the token of an account if there is one. */
function call(operation: string, { token, body, headers = {} }: CallOptions = {}): Promise<Response> {
  const [method = "", path = ""] = operation.split(" ");
  const init: RequestInit = {
    method,
    dispatcher,
    headers: {
      ...(token !== null && { apikey: service.credentials.anon_key }),
      ...(typeof token === "string" && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && !Buffer.isBuffer(body) && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
  };
  return fetch(new URL(path, service.credentials.url), init);
}

async function json<T>(operation: string, options: CallOptions, status: number): Promise<T> {
  const response = await call(operation, options);
  const text = await response.text();
  assert.equal(response.status, status, `${operation}: ${text}`);
  return JSON.parse(text) as T;
}

async function signUp(email: string): Promise<Account> {
  const body = { email, password: "correct horse battery" };
  const session = await json<{ access_token: string; user: { id: string } }>("POST /auth/v1/signup", { body }, 200);
  return { id: session.user.id, token: session.access_token };
}

async function start(env: Readonly<Record<string, string>>): Promise<void> {
  const { DATA_DIR: dataDir, ...database } = place;
  service = await startServiceHere(cleanup, { dataDir, env: { ...database, PROVIDER_A_KIND: "simulated", ...env } });
  const agent = new Agent({ connect: { ca: await readFile(service.credentials.ca_cert_file ?? "", "utf8") } });
  closers.unshift(() => agent.close());
  dispatcher = agent;
}

/** Sends the text over a TLS connection and returns what the service answers before it closes. */
async function sendRaw(text: string): Promise<string> {
  const { url, ca_cert_file: caFile } = service.credentials;
  const socket = connect({ port: Number(new URL(url).port), host: "localhost", ca: await readFile(caFile ?? "") });
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.end(text);
  await once(socket, "close");
  return Buffer.concat(chunks).toString();
}

function serviceKey(): string {
  return service.credentials.service_role_key;
}

function printed(line: RegExp): Promise<void> {
  return until(() => line.test(service.output()), `the service prints ${line}`, service.output);
}

describe("a service with an extension", () => {
  before(async () => {
    const { adminUrl: DATABASE_URL, masterKey: MASTER_KEY } = await createTestDatabase(cleanup);
    place = { DATA_DIR: await createTemporaryFolder(cleanup, "swarmbase-port-"), DATABASE_URL, MASTER_KEY };
    await start({
      EXTENSIONS: `reference,docs-site,account-export,${NOTES}`,
      NOTES_MAX: "4",
      LIMIT_TOOLS: "5",
      LIMIT_AI: "3",
      LIMIT_API: "1000",
      BODY_LIMIT_BYTES: String(BODY_LIMIT),
    });
    ada = await signUp("ada@example.com");
    bob = await signUp("bob@example.com");
  });
  after(async () => {
    for (const close of closers) await close();
  });

  test("names its extensions when it starts", () =>
    printed(/"extensions":\["reference","docs-site","account-export","[^"]*notes[^"]*"\]/));

  test("serves the routes under the access, the limit row and the row-level rules that they declare", async () => {
    const [read, write] = ["GET /notes/v1/notes", "POST /notes/v1/notes"];
    const note = { text: "a note" };
    assert.equal((await call(read, { token: null })).status, 401);
    assert.equal((await call(read)).status, 401);
    assert.equal((await call("POST /notes/v1/fetch", { token: ada.token, body: {} })).status, 403);
    const made = await call(write, { token: ada.token, body: note });
    assert.equal(made.status, 201);
    assert.equal(made.headers.get("x-ratelimit-limit"), "5");
    const { id } = (await made.json()) as { id: string };
    assert.deepEqual(await json(read, { token: ada.token }, 200), [{ id, text: "a note" }]);
    assert.deepEqual(await json(read, { token: bob.token }, 200), []);
    const rejected = await json<{ code: string }>("DELETE /notes/v1/notes", { token: ada.token }, 403);
    assert.equal(rejected.code, "FORBIDDEN");
    for (const text of ["second", "third", "fourth"]) await json(write, { token: ada.token, body: { text } }, 201);
    const full = await json<{ message: string }>(write, { token: ada.token, body: note }, 403);
    assert.equal(full.message, "At most 4 notes");
    const limited = await json<{ code: string }>(write, { token: ada.token, body: note }, 429);
    assert.equal(limited.code, "RATE_LIMITED");
  });

  test("takes the routes through the same steps as every other request", async () => {
    const write = "POST /notes/v1/notes";
    const wrong = await json<{ code: string; details: unknown }>(write, { token: bob.token, body: {} }, 400);
    assert.deepEqual([wrong.code, wrong.details], ["VALIDATION_ERROR", { text: "must be a string" }]);
    const large = await call(write, { token: bob.token, body: { text: "x".repeat(BODY_LIMIT) } });
    assert.equal(large.status, 413);
    await large.body?.cancel();
    const preflight = await call("OPTIONS /notes/v1/notes", {
      token: null,
      headers: { origin: "https://app.example", "access-control-request-method": "POST" },
    });
    assert.deepEqual([preflight.status, preflight.headers.get("access-control-allow-origin")], [204, "*"]);
    assert.equal((await call("PUT /notes/v1/notes", { body: {} })).status, 405);
    const broken = await call("GET /notes/v1/broken", { token: null });
    const text = await broken.text();
    assert.deepEqual([broken.status, (JSON.parse(text) as { code: string }).code], [500, "INTERNAL_ERROR"]);
    assert.doesNotMatch(text, /detail that no client/);
    assert.ok(broken.headers.get("x-request-id"));
    await printed(/a detail that no client may see/);
  });

  test("hands over parameters, query, headers and raw bodies, and sends texts and streams", async () => {
    const echo = await call("POST /notes/v1/echo/some%20name?a=1&a=2", {
      token: null,
      headers: { "x-given": "yes", "content-type": "application/x-unknown" },
      body: Buffer.from([0, 255]),
    });
    assert.deepEqual(
      [echo.status, echo.headers.get("content-type"), echo.headers.get("x-notes"), await echo.text()],
      [200, "text/plain", "echo", "POST /notes/v1/echo/some%20name some name 1 yes 00ff application/x-unknown"],
    );
    for (const [type, encoding] of [
      [";; no type", null],
      ["application/json", "gzip"],
      [null, null],
    ] as const) {
      const raw = await sendRaw(
        [
          "POST /notes/v1/echo/x HTTP/1.1",
          "Host: localhost",
          "Connection: close",
          ...(type === null ? [] : [`Content-Type: ${type}`]),
          ...(encoding === null ? [] : [`Content-Encoding: ${encoding}`]),
          "X-Given: raw",
          "Content-Length: 3",
          "",
          '{"a',
        ].join("\r\n"),
      );
      assert.match(raw, /^HTTP\/1\.1 200 /, raw);
      assert.match(raw, new RegExp(`POST /notes/v1/echo/x x  raw 7b2261 ${type ?? ""}\\s*$`));
    }
    const stream = await call("GET /notes/v1/stream");
    assert.equal(stream.headers.get("content-type"), "text/event-stream");
    assert.equal(await stream.text(), "data: 1\n\ndata: 2\n\ndata: 3\n\n");
  });

  test("sends requests of an extension through the address policy", async () => {
    const fetched = (url: string): Promise<{ answer: string }> =>
      json("POST /notes/v1/fetch", { token: service.credentials.service_role_key, body: { url } }, 200);
    const here = new URL("/health", service.credentials.url).href;
    assert.equal((await fetched(here)).answer, "status 200");
    assert.equal((await fetched("https://169.254.169.254/latest/meta-data/")).answer, "failed");
  });

  test("runs the worker until the service stops", async () => {
    const token = bob.token;
    await json("POST /notes/v1/notes", { token, body: { text: "done" } }, 201);
    await until(async () => (await json<unknown[]>("GET /notes/v1/notes", { token }, 200)).length === 0);
    await printed(/"count":1,"extension":"notes","note":"archived notes","event":"extension\.note"/);
  });

  test("stores, checks, tests and runs tools of the kind that an extension adds", async () => {
    const cal = await signUp("cal@example.com");
    const asCal = { token: cal.token, headers: { prefer: "return=representation" } };
    await json("POST /notes/v1/notes", { ...asCal, body: { text: "a note of Cal" } }, 201);
    const row = {
      name: "find_notes",
      description: "Finds notes.",
      kind: "notes.search",
      config: { max: 2 },
      input_schema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    };
    const faultsOf = async (changes: object): Promise<unknown> =>
      (await json<{ details: unknown }>("POST /rest/v1/tools", { ...asCal, body: { ...row, ...changes } }, 400))
        .details;
    assert.deepEqual(await faultsOf({ kind: "notes.other" }), {
      kind: "must be one of builtin, http, client, swarm, notes.search",
    });
    assert.deepEqual(await faultsOf({ config: { max: "two" } }), {
      config: "fits no kind of tool",
      "config.max": "must be the only member, and a whole number",
    });
    assert.match(JSON.stringify(await faultsOf({ kind: "http" })), /"config\.url":/);
    const add = async (table: string, body: object): Promise<string> => {
      const [added] = await json<{ id: string }[]>(`POST /rest/v1/${table}`, { ...asCal, body }, 201);
      return added?.id ?? "";
    };
    const toolId = await add("tools", row);
    await json(`PATCH /rest/v1/tools?id=eq.${toolId}`, { ...asCal, body: { config: { max: 3 } } }, 200);
    await json(`PATCH /rest/v1/tools?id=eq.${toolId}`, { ...asCal, body: { config: { min: 3 } } }, 400);

    const test = (text: string): Promise<{ status: string; output?: string; error?: unknown }> =>
      json("POST /functions/v1/tools", { ...asCal, body: { action: "test", tool_id: toolId, input: { text } } }, 200);
    const found = await test("note");
    assert.deepEqual([found.status, found.output], ["succeeded", "a note of Cal"]);
    const failed = await test("");
    assert.equal(failed.status, "failed");
    assert.match(JSON.stringify(failed), /The text to search for is empty\./);

    const agentId = await add("agents", { name: "Ann", framework: "provider_a" });
    const swarmId = await add("swarms", { name: "Notes" });
    await add("agent_tools", { agent_id: agentId, tool_id: toolId });
    await add("swarm_agents", { swarm_id: swarmId, agent_id: agentId });
    const message = '/tool find_notes {"text": "Cal"}';
    await json("POST /functions/v1/agent-respond", { ...asCal, body: { swarm_id: swarmId, message } }, 200);
    const select = "tool_name,status,tool_execution_payloads(output)";
    const executions = await json(`GET /rest/v1/tool_executions?select=${select}`, asCal, 200);
    const payload = { output: "a note of Cal" };
    assert.deepEqual(executions, [{ tool_name: "find_notes", status: "succeeded", tool_execution_payloads: payload }]);
  });

  test("serves a table of an extension in public as those of the service", async () => {
    const eve = await signUp("eve@example.com");
    const asEve = { token: eve.token, headers: { prefer: "return=representation" } };
    const path = "/rest/v1/note_pins";
    const faultsOf = async (body: unknown): Promise<unknown> => {
      const { code, details } = await json<{ code: string; details: unknown }>(`POST ${path}`, { ...asEve, body }, 400);
      assert.equal(code, "VALIDATION_ERROR");
      return details;
    };
    assert.deepEqual(await faultsOf({ weight: 10 }), { label: "is required", weight: "must be between 0 and 9" });
    assert.deepEqual(
      await faultsOf([
        { label: "cursed", weight: 0 },
        { label: "light", weight: 1 },
      ]),
      {
        "0.label": "must not be cursed",
        "1.weight": "must be absent with this label",
      },
    );
    const sent = { label: "first", seen_at: "2020-01-01", created_at: "2020-01-01" };
    const [pin] = await json<Record<string, unknown>[]>(`POST ${path}`, { ...asEve, body: sent }, 201);
    assert.deepEqual([pin?.["user_id"], pin?.["seen_at"], pin?.["weight"]], [eve.id, null, 0]);
    const changed = { label: "x".repeat(21) };
    assert.equal((await call(`PATCH ${path}?id=eq.${String(pin?.["id"])}`, { ...asEve, body: changed })).status, 400);
    assert.deepEqual(await json(`GET ${path}`, { token: bob.token }, 200), []);
    const theirs = await json<{ code: string }>(
      `POST ${path}`,
      { token: bob.token, body: { ...sent, user_id: eve.id } },
      403,
    );
    assert.equal(theirs.code, "FORBIDDEN");
    const service = { token: serviceKey(), body: sent };
    assert.deepEqual((await json<{ details: unknown }>(`POST ${path}`, service, 400)).details, {
      user_id: "is required",
    });
    assert.equal((await call(`GET ${path}`)).status, 401);
    const exported = await json<{ tables: { note_pins: unknown } }>("GET /account-export", { token: eve.token }, 200);
    assert.deepEqual(exported.tables.note_pins, [pin]);
    const erase = { token: serviceKey(), body: { should_soft_delete: false } };
    assert.equal((await call(`DELETE /auth/v1/admin/users/${eve.id}`, erase)).status, 200);
    assert.deepEqual(await json(`GET ${path}`, { token: serviceKey() }, 200), []);
  });

  test("starts a run of a user in the transaction of an extension, once for each key, and says when a limit keeps it from it", async () => {
    const dan = await signUp("dan@example.com");
    const asDan = { token: dan.token, headers: { prefer: "return=representation" } };
    const [agent] = await json<{ id: string }[]>("POST /rest/v1/agents", { ...asDan, body: { name: "Ann" } }, 201);
    const start = { agentId: agent?.id, message: "Say hello.", cause: { type: "reminder", id: "r1" } };
    const begin = (key: string, more: object = {}): Promise<Record<string, unknown>> =>
      json("POST /notes/v1/start", { token: dan.token, body: { ...start, key, ...more } }, 200);
    const { runId, swarmId, ...first } = await begin("one");
    assert.deepEqual(first, { outcome: "started", isRepeated: false });
    assert.deepEqual(await begin("one"), { outcome: "started", runId, swarmId, isRepeated: true });
    const read = `GET /rest/v1/runs?id=eq.${String(runId)}&select=status,cause,swarms(started_by,private_agent_id)`;
    await until(async () => (await json<{ status: string }[]>(read, asDan, 200))[0]?.status === "completed");
    assert.deepEqual(await json(read, asDan, 200), [
      {
        status: "completed",
        cause: { extension: "notes", type: "reminder", id: "r1" },
        swarms: { started_by: "notes r1", private_agent_id: null },
      },
    ]);
    const gone = await begin("two", { agentId: dan.id });
    assert.deepEqual([gone["outcome"], gone["code"]], ["rejected", "AGENT_NOT_FOUND"]);
    assert.equal((await begin("two"))["outcome"], "started");
    // The rejected one counts, too.
    const limited = await begin("three");
    assert.deepEqual([limited["outcome"], limited["code"]], ["limited", "RATE_LIMITED"]);
    assert.ok(Number(limited["retryAfterSeconds"]) <= 60);
    assert.equal(
      (await call("POST /notes/v1/start", { token: dan.token, body: { ...start, agentId: null } })).status,
      500,
    );
    const notes = await json<unknown[]>("GET /notes/v1/notes", { token: dan.token }, 200);
    assert.equal(notes.length, 5, "whatever the answer, the transaction goes on");
  });

  test("names the page that explains an error, in every way in which one is answered", async () => {
    const helpOf = ({ headers }: Pick<Response, "headers">): string | null => headers.get("link");
    const errors = "</docs/reference/errors#";
    assert.equal(helpOf(await call("GET /nowhere", { token: null })), `${errors}not_found>; rel="help"`);
    assert.equal(helpOf(await call("GET /rest/v1/agents", { token: null })), `${errors}unauthorized>; rel="help"`);
    const large = await call("POST /notes/v1/notes", { token: bob.token, body: { text: "x".repeat(BODY_LIMIT) } });
    assert.equal(helpOf(large), `${errors}payload_too_large>; rel="help"`);
    const wrong = await call("POST /auth/v1/token?grant_type=password", {
      body: { email: "ada@example.com", password: "another horse" },
    });
    assert.equal(helpOf(wrong), '</docs/reference/auth-errors#invalid_credentials>; rel="help"');
    const unknown = await call("GET /rest/v1/nothing", { token: ada.token });
    assert.equal(helpOf(unknown), '</docs/reference/rest#errors>; rel="help"');
    assert.equal(helpOf(await call("GET /docs", { token: null })), null);
    assert.match(await sendRaw("not HTTP\r\n\r\n"), /^link: <\/docs\/reference\/errors#bad_request>; rel="help"\r$/m);
    const upgrade = "Host: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13";
    const handshake = `GET /realtime/v1/websocket?vsn=1.0.0 HTTP/1.1\r\n${upgrade}\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n`;
    assert.match(await sendRaw(handshake), /^link: <\/docs\/reference\/errors#unauthorized>; rel="help"\r$/m);
  });

  test("serves the reference by default, and nothing at its paths with EXTENSIONS empty", async () => {
    assert.equal((await call("GET /openapi.json", { token: null })).status, 200);
    const { swagger } = await json<{ swagger: string }>("GET /rest/v1/", { token: ada.token }, 200);
    assert.equal(swagger, "2.0");
    await service.stop();
    await start({ EXTENSIONS: "" });
    await printed(/"extensions":\[\]/);
    for (const path of ["/openapi.json", "/reference", "/reference/reference.css", "/notes/v1/notes"]) {
      const body = await json<{ code: string }>(`GET ${path}`, { token: null }, 404);
      assert.equal(body.code, "NOT_FOUND", path);
    }
    const root = { token: service.credentials.service_role_key };
    assert.equal((await json<{ code: string }>("GET /rest/v1/", root, 404)).code, "PGRST126");
    const missing = await call("GET /docs", { token: null });
    assert.deepEqual([missing.status, missing.headers.get("link")], [404, null]);
    // The tool is still stored; this node cannot run it.
    const asService = { token: service.credentials.service_role_key };
    const [tool] = await json<{ id: string }[]>("GET /rest/v1/tools?kind=eq.notes.search", asService, 200);
    const body = { action: "test", tool_id: tool?.id, input: { text: "note" } };
    const outcome = await json<{ status: string }>("POST /functions/v1/tools", { ...asService, body }, 200);
    assert.equal(outcome.status, "failed");
    assert.match(JSON.stringify(outcome), /TOOL_UNUSABLE.*no tools of the kind notes\.search/);
    await service.stop();
  });

  test("does not start with an extension that it cannot use, and doctor names the same faults", async () => {
    const env = { ...place, EXTENSIONS: `nothing,${NOTES}`, NOTES_MAX: "0" };
    const faults = ["EXTENSIONS: nothing: not found", "NOTES_MAX must be a whole number from 1 to 100"];
    for (const [command, expected] of [
      ["serve", 2],
      ["migrate", 2],
      ["doctor", 1],
    ] as const) {
      const { code, stdout, stderr } = await runHere([command], env);
      const output = stdout + stderr;
      assert.equal(code, expected, output);
      for (const fault of faults) assert.ok(output.includes(fault), `${command}: ${output}`);
    }
  });
});
