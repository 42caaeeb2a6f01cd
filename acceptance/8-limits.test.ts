import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { ask, openSwarm } from "./support/runs.ts";
import { newEmail, openAdmin, openClient, PASSWORD, signUpNew } from "./support/clients.ts";
import { eventually } from "./support/eventually.ts";
import { NEEDS_OWN_SERVICE } from "./support/given-service.ts";
import { newPerson, openServiceRole } from "./support/people.ts";
import { startReceiver } from "./support/receiver.ts";
import { add, read, respond, addSwarmAgent } from "./support/swarms.ts";
import { type Answer, type Service, startOwnService } from "./support/service.ts";
import { QUICK_HASHES } from "./support/settings.ts";
import { addAgent, addWebhook, listDeliveries } from "./support/webhooks.ts";

const DEFAULTS = { LIMIT_API: "", LIMIT_AUTH: "", LIMIT_AI: "", LIMIT_TOOLS: "", LIMIT_WEBHOOKS: "" };

function leftIn({ headers }: Answer): string {
  return [headers["x-ratelimit-remaining"], headers["x-ratelimit-limit"]].join("/");
}

function assertLimited(answer: Answer, limit: number): void {
  assert.equal(answer.status, 429, answer.text);
  const { error, code, retry_after: retryAfter } = answer.body;
  assert.deepEqual([typeof error, code], ["string", "RATE_LIMITED"]);
  assert.ok(typeof retryAfter === "number" && retryAfter >= 1 && retryAfter <= 60);
  assert.equal(answer.headers["retry-after"], String(retryAfter));
  assert.equal(leftIn(answer), `0/${limit}`);
  const resetsIn = Number(answer.headers["x-ratelimit-reset"]) - Date.now() / 1000;
  assert.ok(resetsIn > -1 && resetsIn <= 62, String(resetsIn));
}

describe("8 limits as they come", { skip: NEEDS_OWN_SERVICE }, () => {
  let service: Service;
  before(async () => {
    service = await startOwnService({ ...QUICK_HASHES, ...DEFAULTS });
  });
  after(() => service?.stop());

  const signIn = (email: string, password = PASSWORD): Promise<Answer> =>
    service.request("/auth/v1/token?grant_type=password", {
      method: "POST",
      headers: { apikey: service.credentials.anon_key, "content-type": "application/json" },
      body: JSON.stringify({ email, password }),
    });

  const refresh = (token: string): Promise<Answer> =>
    service.request("/auth/v1/token?grant_type=refresh_token", {
      method: "POST",
      headers: { apikey: service.credentials.anon_key, "content-type": "application/json" },
      body: JSON.stringify({ refresh_token: token }),
    });

  test("8 each user has 100 API requests per minute", async () => {
    const [one, other] = [await newPerson(service), await newPerson(service)];
    const before = Date.now() / 1000;
    const first = await one.send("GET /agents?select=id");
    assert.equal(leftIn(first), "99/100");
    const reset = Number(first.headers["x-ratelimit-reset"]);
    assert.ok(Number.isInteger(reset) && reset > before + 58 && reset < before + 65);
    for (let left = 98; left >= 0; left -= 1) {
      const answer = await one.send(left === 50 ? "GET /no_such_table" : "GET /agents?select=id");
      assert.deepEqual([answer.status, leftIn(answer)], [left === 50 ? 404 : 200, `${left}/100`]);
    }
    assertLimited(await one.send("GET /agents?select=id"), 100);
    assertLimited(await one.send("POST /functions/v1/batch", { body: { operations: [] } }), 100);
    assertLimited(await one.send("POST /agents", { body: { name: "Late", framework: "provider_a" } }), 100);
    assert.equal(leftIn(await other.send("GET /agents?select=id")), "99/100");

    const { error, status } = await one.client.from("agents").select();
    assert.deepEqual([status, error?.code], [429, "RATE_LIMITED"]);
  });

  test("8 the service role, health and preflights are not counted", async () => {
    const role = openServiceRole(service);
    const { anon_key: apikey } = service.credentials;
    const preflight = { method: "OPTIONS", headers: { apikey, "access-control-request-method": "POST" } };
    const answers = [
      await role.send("GET /agents?select=id"),
      await service.request("/health"),
      await service.request("/ready"),
      await service.request("/auth/v1/health"),
      await service.request("/rest/v1/agents", preflight),
    ];
    for (const { headers } of answers) assert.equal(headers["x-ratelimit-limit"], undefined);
    const admin = openAdmin(service);
    for (let call = 0; call < 12; call += 1) {
      const { error } = await admin.auth.signInWithPassword({ email: newEmail(), password: PASSWORD });
      assert.equal(error?.code, "invalid_credentials");
    }
  });

  test("8 a request that returns 401 counts for the address", async () => {
    const { anon_key: apikey } = service.credentials;
    const headers = { apikey, authorization: "Bearer nonsense" };
    const first = await service.request("/rest/v1/agents", { headers });
    const second = await service.request("/rest/v1/agents", { headers });
    assert.deepEqual([first.status, second.status], [401, 401]);
    const [left = 0, next] = [first, second].map((answer) => Number(answer.headers["x-ratelimit-remaining"]));
    assert.equal(next, left - 1);
  });

  test("8 test-webhook counts as an API request and a webhook send, and its headers show the limit with less remaining", async () => {
    const { send } = await newPerson(service);
    const body = { webhook_id: "00000000-0000-4000-8000-000000000000", event_type: "agent.created" };
    assert.equal(leftIn(await send("GET /agents?select=id")), "99/100");
    assert.equal(leftIn(await send("POST /functions/v1/test-webhook", { body })), "98/100");
  });

  test("8 a token refresh counts as an API request of its session", async () => {
    const [one, other] = [await signUpNew(service), await signUpNew(service)];
    let token = one.session.refresh_token;
    for (const left of [99, 98, 97]) {
      const answer = await refresh(token);
      assert.deepEqual([answer.status, leftIn(answer)], [200, `${left}/100`]);
      token = String(answer.body["refresh_token"]);
    }
    assert.equal(leftIn(await refresh(other.session.refresh_token)), "99/100");
  });

  test("8 each user has 30 AI responses per minute", async () => {
    const person = await newPerson(service);
    const { swarm } = await openSwarm(person);
    const answer = await ask(person, { swarm_id: swarm, message: "Hi" });
    assert.deepEqual([answer.status, leftIn(answer)], [200, "29/30"], answer.text);
  });

  test("8 each address has 10 auth attempts per minute, and a token refresh is none", async () => {
    // Earlier sign-ups from the same address have used part of the limit.
    let answer = await signIn(newEmail());
    const left = Number(answer.headers["x-ratelimit-remaining"]);
    assert.ok(left < 10);
    assert.equal(answer.headers["x-ratelimit-limit"], "10");
    for (let attempt = left; attempt > 0; attempt -= 1) answer = await signIn(newEmail());
    assert.equal(leftIn(answer), "0/10");
    const rejected = await signIn(newEmail());
    assertLimited(rejected, 10);
    assert.deepEqual([rejected.body["error_code"], typeof rejected.body["msg"]], ["over_request_rate_limit", "string"]);
    const { error } = await openClient(service).auth.signUp({ email: newEmail(), password: PASSWORD });
    assert.deepEqual([error?.status, error?.code], [429, "over_request_rate_limit"]);
  });
});

describe("8 limits of an operator's own", { skip: NEEDS_OWN_SERVICE }, () => {
  let service: Service;
  before(async () => {
    service = await startOwnService({
      ...QUICK_HASHES,
      LIMIT_API: "0",
      LIMIT_AUTH: "0",
      LIMIT_AI: "2",
      LIMIT_TOOLS: "1",
      LIMIT_WEBHOOKS: "1",
      AGENT_LIMIT_PER_USER: "3",
    });
  });
  after(() => service?.stop());

  test("8 a disabled limit is not counted", async () => {
    for (let attempt = 0; attempt < 12; attempt += 1) {
      const { error } = await openClient(service).auth.signInWithPassword({ email: newEmail(), password: PASSWORD });
      assert.equal(error?.code, "invalid_credentials");
    }
    const { send } = await newPerson(service);
    assert.equal((await send("GET /agents?select=id")).headers["x-ratelimit-limit"], undefined);
  });

  test("8 webhook sends have their own limit", async () => {
    const { send } = await newPerson(service);
    const body = { webhook_id: "00000000-0000-4000-8000-000000000000", event_type: "agent.created" };
    const first = await send("POST /functions/v1/test-webhook", { body });
    assert.deepEqual([first.status, leftIn(first)], [404, "0/1"]);
    assertLimited(await send("POST /functions/v1/webhook-dispatcher", { body: {} }), 1);
    assert.equal((await send("GET /agents?select=id")).status, 200);
  });

  test("8 deliveries beyond the limit of webhook sends wait as pending with a scheduled_for", async () => {
    const receiver = await startReceiver(service);
    try {
      const person = await newPerson(service);
      const endpoint = receiver.addEndpoint();
      const webhook = await addWebhook(person, endpoint.url);
      for (let made = 0; made < 3; made += 1) await addAgent(person);
      const startedMs = Date.now();
      const deliveries = await eventually(
        () => listDeliveries(person, webhook),
        (rows) =>
          rows.filter((row) => row["scheduled_for"] !== null).length === 2 &&
          rows.some((row) => row["status"] === "delivered"),
        "two of three that wait",
      );
      for (const row of deliveries.filter(({ status }) => status !== "delivered")) {
        const { status, attempts, next_retry_at: nextRetryAt, scheduled_for: scheduledFor } = row;
        assert.deepEqual([status, attempts, nextRetryAt], ["pending", 0, null]);
        assert.ok(Date.parse(String(scheduledFor)) > startedMs);
      }
      assert.equal(endpoint.received.length, 1);
      // Tests and manual retries are counted with the deliveries.
      const body = { webhook_id: webhook["id"], event_type: "agent.created" };
      assertLimited(await person.send("POST /functions/v1/test-webhook", { body }), 1);
      assert.equal(endpoint.received.length, 1);
    } finally {
      await receiver.stop();
    }
  });

  test("8 every answer that is started counts as an AI response, and an admitted run is not cut short", async () => {
    const ada = await newPerson(service);
    const { swarm } = await openSwarm(ada);
    await addSwarmAgent(ada, swarm, "Two");
    const body = { swarm_id: swarm, message: "hello" };
    const first = await ask(ada, body);
    assert.equal(first.status, 200, first.text);
    assert.equal((first.body["responses"] as unknown[]).length, 2);
    assert.equal(leftIn(first), "0/2", "both answers of the run have counted by its end");
    assertLimited(await ask(ada, body), 2);
    assert.equal((await read(ada, `/messages?swarm_id=eq.${swarm}`)).length, 3, "a refused call stores nothing");
  });

  test("8 rejected calls, attaching and idempotent repeats do not count as AI responses", async () => {
    const ada = await newPerson(service);
    const { swarm } = await openSwarm(ada);
    const body = { swarm_id: swarm, message: "hello" };
    const key = { "idempotency-key": randomUUID() };
    const first = await ask(ada, body, key);
    assert.deepEqual([first.status, leftIn(first)], [200, "1/2"], first.text);
    assert.equal((await ask(ada, body, key)).status, 200);
    assert.equal((await ask(ada, { ...body, swarm_id: randomUUID() })).status, 404);
    assert.deepEqual(leftIn(await ask(ada, body)), "0/2");
    assertLimited(await ask(ada, body), 2);
    const attach = { action: "attach", run_id: first.body["run_id"], stream: false };
    assert.equal((await ask(ada, attach)).status, 200);
  });

  test("8 a tool call beyond the limit fails, and the agent still answers", async () => {
    const ada = await newPerson(service);
    const swarm = await add(ada, "swarms", { name: "Tools" });
    await addSwarmAgent(ada, swarm, "One", ["current_time", "calculator"]);
    const message = '/tool current_time {}\n/tool calculator {"expression": "6*7"}';
    const { responses } = await respond(ada, swarm, message);
    assert.equal(responses.length, 1);
    const made = await read(ada, `/tool_executions?swarm_id=eq.${swarm}&select=status,error->>code&order=id`);
    const outcomes = made.map(({ status, code }) => `${String(status)} ${String(code)}`);
    assert.deepEqual(new Set(outcomes), new Set(["failed RATE_LIMITED", "succeeded null"]));
  });

  test("8 the maximum number of agents holds for simultaneous inserts", async () => {
    const person = await newPerson(service);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        at % 2 === 0
          ? person.send("POST /agents", { body: { name: "Racer" } })
          : person.client.from("agents").insert({ name: "Racer" }),
      ),
    );
    const codes = answers.map((answer) => ("text" in answer ? answer.body["code"] : answer.error?.code));
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [201, 201, 201, ...Array.from({ length: 7 }, () => 403)],
    );
    assert.equal(codes.filter((code) => code === "AGENT_LIMIT_REACHED").length, 7);
    const [first] = (await person.send("GET /agents")).rows;
    assert.equal((await person.send("GET /agents")).rows.length, 3);
    assert.equal((await person.send(`DELETE /agents?id=eq.${String(first?.["id"])}`)).status, 204);
    assert.equal((await person.send("POST /agents", { body: { name: "Next" } })).status, 201);
  });
});
