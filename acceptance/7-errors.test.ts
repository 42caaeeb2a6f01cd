import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import net from "node:net";
import { after, before, test } from "node:test";
import { newPerson, type Person, type Row, SINGLE, type TableAnswer } from "./support/people.ts";
import { assertFields, assertValidationBody, apiErrorOf } from "./support/api-errors.ts";
import { type Answer, type Service, startService } from "./support/service.ts";
import { UNLIMITED } from "./support/settings.ts";
import { addAgent, addWebhook, functionsOf, waitForStatus } from "./support/webhooks.ts";

let service: Service;
let ada: Person;
let bob: Person;
before(async () => {
  service = await startService(UNLIMITED);
  [ada, bob] = [await newPerson(service), await newPerson(service)];
});
after(() => service?.stop());

function assertError(answer: Answer, status: number, code: string): void {
  assert.equal(answer.status, status, answer.text);
  assert.match(answer.headers["content-type"] ?? "", /^application\/json/);
  assert.equal(answer.body["code"], code);
  assert.equal(typeof answer.body["message"], "string");
  for (const member of ["error", "details", "hint"]) assert.ok(member in answer.body, member);
  assert.equal(answer.headers["access-control-allow-origin"], "*");
  assert.match(answer.headers["access-control-expose-headers"] ?? "", /retry-after/);
}

test("7 every 404 is a JSON object", async () => {
  for (const path of ["/", "/nowhere", "/nowhere?select=*", "/health/more"]) {
    assertError(await service.request(path), 404, "NOT_FOUND");
  }
});

test("7 an unsupported method returns 405 with Allow", async () => {
  const answer = await service.request("/health", { method: "DELETE" });
  assertError(answer, 405, "METHOD_NOT_ALLOWED");
  assert.match(answer.headers.allow ?? "", /GET/);
});

test("7 a path that cannot be decoded returns 400", async () => {
  assertError(await service.request("/%E0%A4%A"), 400, "BAD_REQUEST");
});

test("7 headers over the limit return 431", async () => {
  assertError(
    await service.request("/health", { headers: { "x-large": "a".repeat(300_000) } }),
    431,
    "HEADERS_TOO_LARGE",
  );
});

test("7 error responses contain no internal details", async () => {
  for (const path of ["/nowhere", "/%E0%A4%A", "/health/../../etc/passwd", "/functions/v1/%00"]) {
    const { text } = await service.request(path);
    assert.doesNotMatch(text, /node_modules|\.ts\b|\bat .*:\d+|select |FST_/i, path);
  }
});

test("7.1 a 401 response has error, code and message", async () => {
  const answers = [
    await ada.send("GET /agents", { headers: { authorization: undefined } }),
    await ada.send("GET /agents", { headers: { apikey: undefined } }),
    await ada.send("POST /functions/v1/agent-respond", { body: {}, headers: { authorization: "Bearer nonsense" } }),
    await service.request("/auth/v1/user", { headers: { apikey: service.credentials.anon_key } }),
  ];
  for (const answer of answers) {
    assertError(answer, 401, "UNAUTHORIZED");
    assert.equal(answer.body["error"], "Unauthorized");
  }
});

test("7.1 a 403 response has error, code and message", async () => {
  const { id } = await addWebhook(bob, "https://example.com/", { is_active: false });
  const answers = [
    await ada.send(`DELETE /webhooks?id=eq.${id}`),
    await ada.send("POST /webhook_deliveries", { body: { webhook_id: id, event_type: "agent.created", payload: {} } }),
    await functionsOf(ada)("test-webhook", { webhook_id: id, event_type: "agent.created" }),
    await service.request("/auth/v1/admin/users", {
      headers: { apikey: service.credentials.anon_key, authorization: `Bearer ${ada.session.access_token}` },
    }),
  ];
  for (const answer of answers) {
    assertError(answer, 403, "FORBIDDEN");
    assert.equal(answer.body["error"], "Forbidden");
  }
});

test("7.2 a validation error has data null, and an error with code, message and a message for each field", async () => {
  const body = { settings: { temperature: 3 } };
  assertValidationBody(await ada.send("POST /agents", { body }), ["name", "settings.temperature"]);
  assertValidationBody(await ada.send("POST /webhooks", { body: { name: "Hook" } }), ["url", "events"]);
  assertValidationBody(await functionsOf(ada)("test-webhook", {}), ["webhook_id", "event_type"]);
});

function assertNamed(answer: TableAnswer, status: number, code: string): void {
  assertError(answer, status, code);
  assert.equal(apiErrorOf(answer).code, code);
}

/** Builds JSON with this many levels as text, because JSON.stringify overflows the stack earlier than JSON.parse. */
const nested = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;

test("7.2 JSON that is nested too deeply returns 400 on every route, with a message about its depth", async () => {
  const id = await addAgent(ada);
  const keys = { apikey: service.credentials.anon_key, authorization: `Bearer ${ada.session.access_token}` };
  const bodies: Readonly<Record<string, (deep: string) => string>> = {
    "POST /rest/v1/agents": (deep) => `{"name":"Deep","settings":{"x":${deep}}}`,
    [`PATCH /rest/v1/agents?id=eq.${id}`]: (deep) => `{"settings":{"x":${deep}}}`,
    "POST /rest/v1/rpc/tool": (deep) => `{"x":${deep}}`,
    "POST /functions/v1/agent-respond": (deep) => `{"swarm_id":"${id}","message":"Hi","metadata":{"x":${deep}}}`,
    "POST /functions/v1/batch": (deep) => `{"operations":[{"method":"POST","path":"/agents","body":{"name":${deep}}}]}`,
    "POST /functions/v1/tools": (deep) => `{"action":"test","tool_id":"${id}","input":{"x":${deep}}}`,
    "POST /functions/v1/webhooks": (deep) => `{"action":${deep}}`,
    "POST /functions/v1/test-webhook": (deep) => deep,
    "POST /functions/v1/webhook-dispatcher": (deep) => deep,
    "POST /functions/v1/request-signing": (deep) => deep,
    "PUT /auth/v1/user": (deep) => `{"data":{"x":${deep}}}`,
    "POST /auth/v1/signup": (deep) => `{"email":"deep@example.com","password":"secret-1","data":{"x":${deep}}}`,
    "POST /auth/v1/token?grant_type=password": (deep) => `{"email":${deep}}`,
    "POST /realtime/v1/api/broadcast": (deep) => `{"messages":[{"topic":"t","event":"e","payload":${deep}}]}`,
    "POST /realtime/v1/api/broadcast/t/events/e": (deep) => deep,
  };
  for (const [line, body] of Object.entries(bodies)) {
    const [method = "", path = ""] = line.split(" ");
    for (const levels of [1_001, 8_000, 300_000]) {
      const headers = { ...keys, "content-type": "application/json" };
      const answer = await service.request(path, { method, headers, body: body(nested(levels)) });
      assert.equal(answer.status, 400, `${line} with ${levels} levels: ${answer.text.slice(0, 500)}`);
      assert.match(String(answer.body["message"]), /must not be nested deeper than 1000 levels/, line);
    }
  }
  // In a CSV cell, and in a filter value.
  const deep = nested(8_000);
  const file = await ada.send("POST /agents", {
    body: `name,settings\nDeep,"{""x"":${deep}}"\n`,
    headers: { "content-type": "text/csv" },
  });
  assertValidationBody(file, ["0.settings"]);
  const filtered = await ada.send(`GET /agents?settings=cs.${nested(100_000)}`);
  assert.equal(filtered.status, 400, filtered.text);
  assert.match(String(filtered.body["hint"]), /nested too deeply/);
  const header = Buffer.from(`{"alg":"ES256","kid":"k","x":${nested(60_000)}}`).toString("base64url");
  const token = await ada.send("GET /agents", { headers: { authorization: `Bearer ${header}.e30.c2ln` } });
  assertError(token, 401, "UNAUTHORIZED");
  assert.deepEqual((await ada.send("GET /agents?name=eq.Deep")).rows, []);
});

test("7.2 JSON at the maximum depth is stored and read back", async () => {
  const id = await addAgent(ada);
  const settings = `{"x":${nested(990)}}`;
  const patched = await ada.send(`PATCH /agents?id=eq.${id}`, { body: `{"settings":${settings}}` });
  assert.equal(patched.status, 204, patched.text);
  const read = await ada.send(`GET /agents?id=eq.${id}&select=settings`);
  assert.equal(read.text.replaceAll(" ", ""), `[{"settings":${settings}}]`);
});

test("7.3 AGENT_NOT_FOUND, PERMISSION_DENIED: the agent does not exist, or belongs to another user", async () => {
  const path = (id: string) => `/agents?id=eq.${id}`;
  const foreign = await addAgent(bob);
  for (const [id, status, code] of [
    [randomUUID(), 404, "AGENT_NOT_FOUND"],
    [foreign, 403, "PERMISSION_DENIED"],
  ] as const) {
    assertNamed(await ada.send(`GET ${path(id)}`, { headers: SINGLE }), status, code);
    assertNamed(await ada.send(`PATCH ${path(id)}`, { body: { name: "Mine" } }), status, code);
    assertNamed(await ada.send(`DELETE ${path(id)}`), status, code);
  }
});

test("7.3 INVALID_FRAMEWORK, INVALID_MODEL: the provider or its model is unknown", async () => {
  const id = await addAgent(ada);
  const framework = await ada.send(`PATCH /agents?id=eq.${id}`, { body: { framework: "provider_z" } });
  assertNamed(framework, 400, "INVALID_FRAMEWORK");
  assertFields(framework.body["details"], ["framework"]);
  for (const model of [
    await ada.send(`PATCH /agents?id=eq.${id}`, { body: { model: "no-such-model" } }),
    await ada.send("POST /agents", { body: { name: "Ada", model: "no-such-model" } }),
  ]) {
    assertNamed(model, 400, "INVALID_MODEL");
    assertFields(model.body["details"], ["model"]);
  }
});

test("7.3 AGENT_LIMIT_REACHED: the maximum number of agents", async () => {
  const collector = await newPerson(service);
  const body = Array.from({ length: 100 }, (_, at) => ({ name: `Agent ${at}` }));
  let answer = await collector.send("POST /agents", { body });
  for (let more = 0; more < 20 && answer.status === 201; more += 1)
    answer = await collector.send("POST /agents", { body });
  assertNamed(answer, 403, "AGENT_LIMIT_REACHED");
});

test("7.3 WEBHOOK_NOT_FOUND, WEBHOOK_DISABLED, INVALID_URL, INVALID_EVENTS", async () => {
  const call = functionsOf(ada);
  const { id } = await addWebhook(ada, "https://example.com/", { is_active: false });
  assertNamed(await ada.send(`GET /webhooks?id=eq.${randomUUID()}`, { headers: SINGLE }), 404, "WEBHOOK_NOT_FOUND");
  const test = { webhook_id: id, event_type: "agent.created" };
  assertNamed(await call("test-webhook", { ...test, webhook_id: randomUUID() }), 404, "WEBHOOK_NOT_FOUND");
  assertNamed(await call("test-webhook", test), 403, "WEBHOOK_DISABLED");
  const rejected: [Row, string][] = [
    [{ url: "http://example.com/" }, "INVALID_URL"],
    [{ events: ["agent.exploded"] }, "INVALID_EVENTS"],
  ];
  for (const [row, code] of rejected) {
    const webhook = { name: "Hook", url: "https://example.com/", events: ["agent.created"], is_active: false, ...row };
    assertNamed(await ada.send("POST /webhooks", { body: webhook }), 400, code);
    assertNamed(await ada.send(`PATCH /webhooks?id=eq.${id}`, { body: row }), 400, code);
  }
});

test("7.3 DELIVERY_FAILED: the endpoint returned an error to a manual retry", async () => {
  const nobody = net.createServer().listen(0, "127.0.0.1");
  await once(nobody, "listening");
  const { port } = nobody.address() as net.AddressInfo;
  nobody.close();
  await once(nobody, "close");
  const webhook = await addWebhook(bob, `https://127.0.0.1:${port}/`, { retry_count: 0 });
  await addAgent(bob);
  const delivery = await waitForStatus(bob, webhook, "failed");
  const answer = await functionsOf(bob)("webhook-dispatcher", { action: "retry", delivery_id: delivery["id"] });
  assertNamed(answer, 502, "DELIVERY_FAILED");
  assert.equal((await bob.send(`DELETE /webhooks?id=eq.${webhook.id}`)).status, 204);
});
