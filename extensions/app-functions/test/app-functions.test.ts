import assert from "node:assert/strict";
import { createHmac, hash, randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { createClient, FunctionsHttpError, FunctionsRelayError, type SupabaseClient } from "@supabase/supabase-js";
import { verifyFunctionCall } from "@swarmbase/sdk";
import { Agent, fetch as fetchWith, type RequestInit, type Response } from "undici";
import { createTestDatabase } from "../../../server/test/support/database.ts";
import { findFreePort } from "../../../server/test/support/free-port.ts";
import { type ServiceHere, startServiceHere } from "../../../server/test/support/service-here.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { type AppServer, type ReceivedCall, startAppServer } from "./support/app-server.ts";

const SECRET = "a secret of at least 32 characters".replaceAll(" ", "-");
const LARGE = randomBytes(8 * 1024 * 1024);

const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
let app: AppServer;
let service: ServiceHere;
let dispatcher: Agent;
let client: SupabaseClient;
let userId: string;
let token: string;
/** Lets the function that streams continue. */
const mayEnd = Promise.withResolvers<void>();

function newClient(key = service.credentials.anon_key): SupabaseClient {
  const viaAuthority = (async (input: string, init?: RequestInit) =>
    fetchWith(input, { ...init, dispatcher })) as unknown as typeof fetch;
  return createClient(service.credentials.url, key, {
    global: { fetch: viaAuthority },
    auth: { persistSession: false, autoRefreshToken: false },
  });
}

/** A call over plain HTTPS, with the key and the token of the user unless the headers replace them. */
function call(name: string, init: RequestInit = {}): Promise<Response> {
  const { anon_key: apikey, url } = service.credentials;
  const headers = { apikey, authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) };
  return fetchWith(new URL(`/functions/v1/${name}`, url), { dispatcher, ...init, headers });
}

/** The last call that the operator's server received. */
function lastCall(): ReceivedCall {
  const last = app.calls.at(-1);
  assert.ok(last);
  return last;
}

async function codeOf(response: Response): Promise<unknown> {
  return ((await response.json()) as { code?: unknown }).code;
}

before(async () => {
  app = await startAppServer(cleanup, {
    "/echo": (_request, response, { body }) => {
      response.writeHead(201, {
        "content-type": "application/json",
        "cache-control": "max-age=60",
        connection: "keep-alive, x-hop",
        "x-hop": "1",
        "x-app": "kept",
        "set-cookie": "a=b",
        "access-control-allow-origin": "https://evil.example",
        "content-security-policy": "default-src *",
        "x-request-id": "forged",
      });
      response.end(JSON.stringify({ length: body.length }));
    },
    "/stream": async (_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write("data: first\n\n");
      await mayEnd.promise;
      response.end("data: last\n\n");
    },
    "/endless": (_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write("data: first\n\n");
    },
    "/silent": () => {},
    "/broken": (_request, response) => {
      response.writeHead(200, { "content-length": "100" }).write("half");
      setImmediate(() => response.destroy());
    },
    "/large": (_request, response) => void response.writeHead(200, { "content-type": "image/png" }).end(LARGE),
    "/empty": (_request, response) => void response.writeHead(204).end(),
    "/failing": (_request, response) => void response.writeHead(418, { "content-type": "text/plain" }).end("teapot"),
    "/moved": (_request, response) => void response.writeHead(302, { location: "/echo" }).end(),
  });
  const dataDir = await createTemporaryFolder(cleanup, "swarmbase-functions-");
  const { adminUrl: DATABASE_URL, masterKey: MASTER_KEY } = await createTestDatabase(cleanup);
  const file = join(dataDir, "functions.json");
  const functions = {
    echo: `${app.origin}/echo`,
    items: { url: `${app.origin}/echo?fixed=1`, methods: ["GET", "DELETE"], access: "bearer" },
    trusted: { url: `${app.origin}/echo`, forward_token: true, forward_headers: ["X-Tenant"] },
    stream: `${app.origin}/stream`,
    endless: `${app.origin}/endless`,
    pausing: { url: `${app.origin}/endless`, timeout_ms: 200 },
    silent: { url: `${app.origin}/silent`, timeout_ms: 200 },
    waiting: `${app.origin}/silent`,
    broken: `${app.origin}/broken`,
    large: `${app.origin}/large`,
    empty: `${app.origin}/empty`,
    failing: `${app.origin}/failing`,
    moved: `${app.origin}/moved`,
    gone: `http://127.0.0.1:${await findFreePort()}/`,
    open: { url: `${app.origin}/echo`, access: "public" },
    internal: { url: `${app.origin}/echo`, access: "service" },
  };
  await writeFile(file, JSON.stringify(functions));
  service = await startServiceHere(cleanup, {
    dataDir,
    env: {
      DATABASE_URL,
      MASTER_KEY,
      FUNCTIONS_FILE: file,
      FUNCTIONS_SECRET: SECRET,
      ACCESS_LOG_ENABLED: "true",
      LIMIT_API: "1000",
      BODY_LIMIT_BYTES: "65536",
    },
  });
  dispatcher = new Agent({ connect: { ca: await readFile(service.credentials.ca_cert_file ?? "", "utf8") } });
  cleanup.after(() => dispatcher.close());
  client = newClient();
  const { data, error } = await client.auth.signUp({ email: "ada@example.com", password: "correct horse battery" });
  assert.ifError(error);
  userId = data.user?.id ?? "";
  token = data.session?.access_token ?? "";
});
after(async () => {
  for (const close of closers) await close();
});

describe("functions of the operator", () => {
  test("functions.invoke forwards the body and the verified caller, and returns the response", async () => {
    const body = { text: "Grüße", list: [1, 2] };
    const { data, error, response } = await client.functions.invoke("echo", { body });
    assert.ifError(error);
    const received = lastCall();
    assert.deepEqual(data, { length: received.body.length });
    assert.deepEqual(JSON.parse(received.body.toString()), body);
    assert.equal(received.headers["content-type"], "application/json");
    for (const name of ["authorization", "apikey", "cookie"]) assert.equal(received.headers[name], undefined, name);
    const caller = await verifyFunctionCall(received.body, received.headers, SECRET);
    const requestId = response?.headers.get("x-request-id");
    const { session_id: sessionId, ...others } = caller;
    assert.match(sessionId ?? "", /^[0-9a-f-]{36}$/);
    assert.deepEqual(others, {
      role: "authenticated",
      user_id: userId,
      email: "ada@example.com",
      aal: "aal1",
      request_id: requestId,
      function: "echo",
      method: "POST",
      query: "",
    });
    assert.equal(received.headers["x-request-id"], requestId);
    await assert.rejects(verifyFunctionCall("other", received.headers, SECRET), { reason: "signature_mismatch" });
    const forged = {
      ...received.headers,
      "x-service-caller": Buffer.from('{"role":"service_role"}').toString("base64url"),
    };
    await assert.rejects(verifyFunctionCall(received.body, forged, SECRET), { reason: "signature_mismatch" });
  });

  test("knows an API key of a user and its scopes", async () => {
    const create = { action: "create", name: "reports", scopes: ["write"] };
    const { data, error } = await client.functions.invoke("api-keys", { body: create });
    assert.ifError(error);
    const { key, api_key: row } = data;
    assert.equal((await call("echo", { method: "POST", headers: { authorization: `Bearer ${key}` } })).status, 201);
    const caller = await verifyFunctionCall(lastCall().body, lastCall().headers, SECRET);
    assert.deepEqual([caller.user_id, caller.api_key_id, caller.scopes], [userId, row.id, ["write"]]);
    assert.doesNotMatch(JSON.stringify(lastCall().headers), /sk_/);
  });

  test("passes on status and headers, but none that belong to the service or to one connection", async () => {
    const response = await call("echo", { method: "POST", headers: { origin: "https://app.example" } });
    assert.equal(response.status, 201);
    const { headers } = response;
    assert.deepEqual([headers.get("x-app"), headers.get("cache-control")], ["kept", "max-age=60"]);
    assert.deepEqual([headers.get("x-hop"), headers.get("set-cookie")], [null, null]);
    assert.equal(headers.get("access-control-allow-origin"), "*");
    assert.match(headers.get("content-security-policy") ?? "", /^default-src 'none'/);
    assert.notEqual(headers.get("x-request-id"), "forged");
    assert.equal(headers.get("x-ratelimit-limit"), "1000");
    assert.equal((await client.functions.invoke("empty")).response?.status, 204);
    const { error } = await client.functions.invoke("failing");
    assert.ok(error instanceof FunctionsHttpError);
    assert.equal(await (error.context as globalThis.Response).text(), "teapot");
  });

  test("forwards methods, queries, bytes, and the headers that the file names", async () => {
    const { error } = await client.functions.invoke("items?limit=2", { method: "GET" });
    assert.ifError(error);
    assert.equal(lastCall().url, "/echo?fixed=1&limit=2");
    assert.equal((await verifyFunctionCall("", lastCall().headers, SECRET)).query, "?limit=2");
    await call(`items?apikey=${service.credentials.anon_key}&a=b`, { method: "DELETE" });
    assert.deepEqual([lastCall().method, lastCall().url], ["DELETE", "/echo?fixed=1&a=b"]);
    const head = await call("items", { method: "HEAD" });
    assert.deepEqual([head.status, await head.text(), lastCall().method], [201, "", "HEAD"]);
    assert.equal((await call("items", { method: "POST" })).status, 405);
    assert.equal((await call("echo", { method: "GET" })).status, 405);

    const bytes = randomBytes(1000);
    await client.functions.invoke("trusted", {
      body: new Blob([bytes]),
      headers: { "X-Tenant": "acme", "X-Other": "1" },
    });
    const { headers, body } = lastCall();
    assert.deepEqual(body, bytes);
    assert.deepEqual([headers["x-tenant"], headers["x-other"]], ["acme", undefined]);
    assert.equal(headers.authorization, `Bearer ${token}`);
    const type = "multipart/form-data; boundary=x";
    await call("echo", { method: "POST", body: "--x--", headers: { "content-type": type } });
    assert.deepEqual([lastCall().headers["content-type"], lastCall().body.toString()], [type, "--x--"]);
  });

  test("each function has its access", async () => {
    const { anon_key: anonKey, service_role_key: serviceKey } = service.credentials;
    const as = (key: string) => ({ method: "POST", headers: { apikey: key, authorization: `Bearer ${key}` } });
    const before = app.calls.length;
    assert.equal(
      (await fetchWith(new URL("/functions/v1/echo", service.credentials.url), { dispatcher, method: "POST" })).status,
      401,
    );
    assert.equal((await call("echo", as(anonKey))).status, 401);
    assert.equal((await call("internal", { method: "POST" })).status, 403);
    assert.equal(app.calls.length, before);

    assert.equal((await call("internal", as(serviceKey))).status, 201);
    assert.equal((await verifyFunctionCall("", lastCall().headers, SECRET)).role, "service_role");
    assert.equal((await call("items", { ...as(anonKey), method: "GET" })).status, 201);
    assert.equal((await verifyFunctionCall("", lastCall().headers, SECRET)).role, "anon");
    const open = await fetchWith(new URL("/functions/v1/open", service.credentials.url), {
      dispatcher,
      method: "POST",
    });
    assert.equal(open.status, 201);

    const other = newClient();
    const { data } = await other.auth.signUp({ email: "bob@example.com", password: "correct horse battery" });
    const bearer = { authorization: `Bearer ${data.session?.access_token}` };
    assert.equal((await call("items", { method: "GET", headers: bearer })).status, 201);
    await other.auth.signOut();
    assert.equal((await call("items", { method: "GET", headers: bearer })).status, 401);
    assert.equal((await call("echo", { method: "POST", headers: bearer })).status, 401);
  });

  test("a user who requires signed requests reaches no function without a signature", async () => {
    const signer = newClient();
    const { data } = await signer.auth.signUp({ email: "eve@example.com", password: "correct horse battery" });
    const made = await signer.functions.invoke("request-signing", { body: { action: "regenerate_secret" } });
    const { new_secret: secret } = made.data as { new_secret: string };
    const body = '{"a": 1}';
    const headersFor = (text: string) => ({
      authorization: `Bearer ${data.session?.access_token}`,
      "content-type": "application/json",
      "x-request-signature": createHmac("sha256", secret).update(text).digest("hex"),
    });
    const settings = JSON.stringify({ require_request_signature: true });
    const required = await call(`../../rest/v1/user_settings?user_id=eq.${data.user?.id}`, {
      method: "PATCH",
      body: settings,
      headers: headersFor(settings),
    });
    assert.equal(required.status, 204);
    const before = app.calls.length;
    const { "x-request-signature": _, ...unsigned } = headersFor(body);
    assert.equal((await call("echo", { method: "POST", body, headers: unsigned })).status, 401);
    assert.equal((await call("items", { method: "DELETE", body, headers: unsigned })).status, 401);
    assert.equal((await call("echo", { method: "POST", body, headers: headersFor("other") })).status, 401);
    assert.equal(app.calls.length, before);
    assert.equal((await call("echo", { method: "POST", body, headers: headersFor(body) })).status, 201);
    assert.equal((await call("items", { method: "DELETE", body, headers: headersFor(body) })).status, 201);
    assert.equal(lastCall().headers["x-request-signature"], undefined);
  });

  test("streams the response piece by piece", async () => {
    const { data, error } = await client.functions.invoke("stream");
    assert.ifError(error);
    const reader = (data as globalThis.Response).body?.pipeThrough(new TextDecoderStream()).getReader();
    assert.equal((await reader?.read())?.value, "data: first\n\n");
    mayEnd.resolve();
    assert.equal((await reader?.read())?.value, "data: last\n\n");
    assert.equal((await reader?.read())?.done, true);
    const large = Buffer.from(await (await call("large", { method: "POST" })).arrayBuffer());
    assert.equal(hash("sha256", large), hash("sha256", LARGE));
  });

  test("ends the call to the function when the client leaves, before and during the response", async () => {
    for (const name of ["endless", "waiting"]) {
      const before = app.calls.length;
      const leaving = new AbortController();
      const asked = call(name, { method: "POST", signal: leaving.signal });
      if (name === "endless") assert.equal((await asked).status, 200);
      while (app.calls.length === before) await delay(5);
      leaving.abort();
      await asked.catch(() => {});
      await lastCall().closed;
    }
  });

  test("a function that is silent is 504 FUNCTION_TIMEOUT; later silence cuts the response", async () => {
    const { error } = await client.functions.invoke("silent");
    assert.ok(error instanceof FunctionsRelayError);
    const context = error.context as globalThis.Response;
    assert.deepEqual([context.status, ((await context.json()) as { code: string }).code], [504, "FUNCTION_TIMEOUT"]);
    await lastCall().closed;
    // On a busy machine even the headers can be too late.
    let paused = await call("pausing", { method: "POST" });
    while (paused.status === 504) paused = await call("pausing", { method: "POST" });
    assert.equal(paused.status, 200);
    await assert.rejects(paused.text());
    await lastCall().closed;
  });

  test("a function that cannot be used is 502 FUNCTION_FAILED, and only the log has the cause", async () => {
    for (const [name, cause] of [
      ["gone", /"cause":"connect ECONNREFUSED 127\.0\.0\.1:\d+"/],
      ["moved", /"cause":"unexpected redirect"/],
    ] as const) {
      const response = await call(name, { method: "POST" });
      const body = (await response.json()) as { code: string; message: string };
      assert.deepEqual([response.status, body.code], [502, "FUNCTION_FAILED"]);
      assert.equal(body.message, `The function ${name} could not be called`);
      assert.match(service.output(), cause);
    }
    assert.equal(lastCall().url, "/moved");
    const broken = await call("broken", { method: "POST" });
    await assert.rejects(broken.text());
  });

  test("limits, preflights and unknown names are those of every function", async () => {
    const tooLarge = await call("echo", {
      method: "POST",
      body: Buffer.alloc(70_000),
      headers: { "content-type": "x/y" },
    });
    assert.deepEqual([tooLarge.status, await codeOf(tooLarge)], [413, "PAYLOAD_TOO_LARGE"]);
    const unknown = await call("nothing", { method: "POST" });
    assert.deepEqual([unknown.status, await codeOf(unknown)], [404, "FUNCTION_NOT_FOUND"]);
    const preflight = await call("echo", {
      method: "OPTIONS",
      headers: { origin: "https://app.example", "access-control-request-method": "POST" },
    });
    assert.deepEqual([preflight.status, preflight.headers.get("access-control-allow-origin")], [204, "*"]);
    assert.match(service.output(), /"route":"\/functions\/v1\/echo"/);
    assert.ok(!service.output().includes(SECRET) && !service.output().includes(token));
  });
});
