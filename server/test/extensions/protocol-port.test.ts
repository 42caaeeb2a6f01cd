import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Agent, fetch, type Response } from "undici";
import { createTestDatabase } from "../support/database.ts";
import { type ServiceHere, startServiceHere } from "../support/service-here.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const PROTOCOL = fileURLToPath(new URL("fixtures/protocol/index.ts", import.meta.url));
const BODY_LIMIT = 4_096;

const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
let service: ServiceHere;
let dispatcher: Agent;
let token: string;
let agentId: string;

function send(
  path: string,
  bearer: string | null,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(new URL(path, service.credentials.url), {
    method: body === undefined ? "GET" : "POST",
    dispatcher,
    headers: {
      ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

const call = (bearer: string | null, method: string, params: object = {}, headers: Record<string, string> = {}) =>
  send("/protocol", bearer, { method, params }, headers);

/** Untyped: assertions check its members. */
async function read(response: Response): Promise<ReturnType<typeof JSON.parse>> {
  return JSON.parse(await response.text());
}

async function readEvents(response: Response): Promise<{ id: number; type: string; data: { run_id?: string } }[]> {
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** Status, and the code of the service inside of the protocol's error. */
async function reject(response: Promise<Response>): Promise<unknown[]> {
  const { status } = await response;
  const { jsonrpc, error } = await read(await response);
  assert.deepEqual([jsonrpc, error?.code], ["2.0", -32_000]);
  return [status, error.data.code];
}

async function makeKey(scopes: readonly string[]): Promise<string> {
  const headers = { apikey: service.credentials.anon_key };
  const response = await send("/functions/v1/api-keys", token, { action: "create", name: "n", scopes }, headers);
  return (await read(response)).key;
}

before(async () => {
  const { adminUrl: DATABASE_URL, masterKey: MASTER_KEY } = await createTestDatabase(cleanup);
  const dataDir = await createTemporaryFolder(cleanup, "swarmbase-protocol-");
  service = await startServiceHere(cleanup, {
    dataDir,
    env: {
      DATABASE_URL,
      MASTER_KEY,
      EXTENSIONS: PROTOCOL,
      BODY_LIMIT_BYTES: String(BODY_LIMIT),
      LIMIT_API: "40",
      LIMIT_AI: "2",
      SITE_URL: "https://app.example.com/start",
    },
  });
  dispatcher = new Agent({ connect: { ca: readFileSync(service.credentials.ca_cert_file ?? "", "utf8") } });
  closers.unshift(() => dispatcher.close());
  const headers = { apikey: service.credentials.anon_key };
  const credentials = { email: "ada@example.com", password: "correct horse battery" };
  token = (await read(await send("/auth/v1/signup", null, credentials, headers))).access_token;
  const made = await send("/rest/v1/agents", token, { name: "Ann" }, { ...headers, prefer: "return=representation" });
  [{ id: agentId }] = await read(made);
});
after(async () => {
  for (const close of closers) await close();
});

describe("a route of another protocol", () => {
  test("takes the bearer of a user alone, and renders errors before its handler in its own form", async () => {
    const { url, anon_key: anon, service_role_key: admin } = service.credentials;
    assert.deepEqual(await read(await send("/.well-known/protocol.json", null)), { url: `${url}/protocol` });
    const path = { path: "/agents?select=name" };
    const anonymous = await call(null, "read", path);
    const metadata = `resource_metadata="${url}/.well-known/oauth-protected-resource"`;
    assert.equal(anonymous.headers.get("www-authenticate"), `Bearer realm="protocol", ${metadata}, scope="read run"`);
    assert.deepEqual(await reject(Promise.resolve(anonymous)), [401, "UNAUTHORIZED"]);
    for (const bearer of [anon, admin, "sk_forged", "x.y.z"])
      assert.deepEqual(await reject(call(bearer, "read", path)), [401, "UNAUTHORIZED"], bearer);
    for (const bearer of [token, await makeKey(["read"])]) {
      const answered = await call(bearer, "read", path, { apikey: "ignored" });
      assert.ok(answered.headers.get("x-ratelimit-limit"));
      assert.deepEqual(await read(answered), { jsonrpc: "2.0", result: [{ name: "Ann" }] });
    }
    assert.deepEqual(await reject(call(token, "read", { ...path, more: "x".repeat(BODY_LIMIT) })), [
      413,
      "PAYLOAD_TOO_LARGE",
    ]);
    assert.deepEqual(await reject(call(token, "read", path, { origin: "https://evil.example" })), [403, "FORBIDDEN"]);
    assert.equal((await call(token, "read", path, { origin: "https://app.example.com" })).status, 200);
    assert.deepEqual(await reject(call(token, "read", { path: "/no_such_table" })), [404, "PGRST205"]);
  });

  test("reads and writes tables with the rights and scopes of its caller", async () => {
    const write = { path: "/swarms", message: "Made by a protocol" };
    assert.deepEqual(await reject(call(await makeKey(["read", "run"]), "write", write)), [403, "INSUFFICIENT_SCOPE"]);
    const { result } = await read(await call(await makeKey(["read", "write"]), "write", write));
    assert.deepEqual(
      result.map(({ name }: { name: string }) => name),
      [write.message],
    );
    assert.equal((await send("/unchecked", null)).status, 500);
  });

  test("starts, follows and cancels runs through the functions, and counts their answers", async () => {
    const [reader, runner, full] = [await makeKey(["read"]), await makeKey(["run"]), await makeKey(["run", "approve"])];
    const ask = { agent_id: agentId, message: "Hello" };
    assert.deepEqual(await reject(call(reader, "ask", ask)), [403, "INSUFFICIENT_SCOPE"]);
    const events = await readEvents(await call(runner, "ask", ask));
    assert.deepEqual([events[0]?.type, events.at(-1)?.type], ["message.created", "done"]);
    assert.ok(events.some(({ type }) => type === "message.delta"));
    const run_id = events.find(({ data }) => data.run_id !== undefined)?.data.run_id ?? "";
    const later = await readEvents(await call(token, "follow", { run_id, after: String(events.at(-3)?.id) }));
    assert.deepEqual(later, events.slice(-2));
    const cancelled = await read(await call(runner, "cancel", { run_id }));
    assert.equal(cancelled.result.status, "completed", JSON.stringify(cancelled));
    assert.deepEqual(await reject(call(runner, "approve", { run_id })), [403, "INSUFFICIENT_SCOPE"]);
    const decided = await reject(call(full, "approve", { run_id }));
    assert.notEqual(decided[1], "INSUFFICIENT_SCOPE");
    assert.deepEqual(await reject(call(full, "make key")), [403, "API_KEY_NOT_ALLOWED"]);
    // The guard of the route has checked no proof of the owner.
    assert.deepEqual(await reject(call(token, "make key")), [403, "FORBIDDEN"]);
    assert.deepEqual(await reject(call(full, "cancel", { run_id: "no id" })), [400, "VALIDATION_ERROR"]);
    await readEvents(await call(token, "ask", ask));
    assert.deepEqual(
      await reject(call(runner, "ask", ask)),
      [429, "RATE_LIMITED"],
      "the answers of a key are its user's",
    );
  });
});
