import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Agent, fetch } from "undici";
import { createTestDatabase } from "../../../server/test/support/database.ts";
import { WIRE } from "../../../server/test/support/providers/wire.ts";
import { failWith, openWireServer, say, type WireServer } from "../../../server/test/support/providers/wire-server.ts";
import { type ServiceHere, startServiceHere } from "../../../server/test/support/service-here.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";

const KEY = "sk-first-0123456789SECRET";
const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
// The certificate is that of a new authority, and nothing is compared here that it protects.
const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
let vendor: WireServer;
let service: ServiceHere;
let token = "";

async function call(path: string, body?: unknown, bearer = token) {
  const { url, anon_key: apikey } = service.credentials;
  const headers = { apikey, authorization: `Bearer ${bearer}`, "content-type": "application/json" };
  const init = body === undefined ? { method: "GET" } : { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(`${url}${path}`, { ...init, headers, dispatcher });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const add = (body: unknown, bearer?: string) => call("/functions/v1/provider-keys", body, bearer);

async function start(env: Readonly<Record<string, string>>) {
  const dataDir = await createTemporaryFolder(cleanup, "swarmbase-keys-");
  const { adminUrl: DATABASE_URL, masterKey: MASTER_KEY } = await createTestDatabase(cleanup);
  service = await startServiceHere(cleanup, { dataDir, env: { DATABASE_URL, MASTER_KEY, ...env } });
  const account = { email: "ada@example.com", password: "correct horse battery" };
  token = String((await call("/auth/v1/signup", account, service.credentials.anon_key)).body["access_token"]);
}

before(async () => {
  vendor = await openWireServer();
  cleanup.after(() => vendor.close());
  cleanup.after(() => dispatcher.close());
});
after(async () => {
  for (const close of closers) await close();
});

test("a user gives a service its first key, and nobody a second one", async () => {
  await start({
    AUTH_AUTOCONFIRM: "true",
    CONSOLE_ENABLED: "true",
    PROVIDER_DETECTION: "true",
    OLLAMA_HOST: "127.0.0.1:1",
    OPENAI_BASE_URL: vendor.url,
  });
  const readConfig = async () => (await call("/console.json")).body;
  assert.equal((await readConfig())["add_provider"], true);

  vendor.answer(failWith(401, { error: { message: `Incorrect API key provided: ${KEY}`, code: "invalid_api_key" } }));
  const refused = await add({ api_key: KEY });
  assert.equal(refused.status, 200, JSON.stringify(refused.body));
  assert.deepEqual([refused.body["name"], refused.body["is_stored"]], ["OpenAI", false]);
  assert.ok(!JSON.stringify(refused.body).includes(KEY));

  vendor.answer(say(WIRE.openai({ texts: ["ready"] })));
  for (const [body, status] of [
    [{ api_key: "sk-one two" }, 400],
    [{ api_key: 7 }, 400],
    [{ api_key: KEY, vendor: "mistral" }, 400],
    [{ api_key: KEY, base_url: "http://127.0.0.1:1" }, 400],
    [[], 400],
  ] as const)
    assert.equal((await add(body)).status, status, JSON.stringify(body));
  for (const bearer of [service.credentials.anon_key, service.credentials.service_role_key])
    assert.ok([401, 403].includes((await add({ api_key: KEY }, bearer)).status));
  assert.equal(vendor.asked.length, 0);

  const stored = await add({ api_key: ` ${KEY}\n`, vendor: null });
  assert.equal(stored.status, 200, JSON.stringify(stored.body));
  assert.deepEqual([stored.body["framework"], stored.body["is_stored"]], ["provider_a", true]);
  const config = await readConfig();
  assert.deepEqual([config["add_provider"], config["framework"]], [undefined, "provider_a"]);
  assert.equal((config["providers"] as Record<string, string>)["provider_a"], "OpenAI");
  assert.equal((await add({ api_key: KEY })).status, 403);
  assert.ok(!service.output().includes(KEY));
});

test("a service that does not detect takes no key from users", async () => {
  await start({ AUTH_AUTOCONFIRM: "true", PROVIDER_DETECTION: "false", OPENAI_BASE_URL: vendor.url });
  vendor.answer(say(WIRE.openai({ texts: ["ready"] })));
  assert.equal((await add({ api_key: KEY })).status, 403);
  assert.equal(vendor.asked.length, 0);
});
