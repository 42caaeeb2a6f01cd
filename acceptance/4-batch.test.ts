import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { ok } from "./support/clients.ts";
import {
  newPerson,
  onlyRow,
  type Person,
  REPRESENTATION,
  type Row,
  SINGLE,
  type TableAnswer,
} from "./support/people.ts";
import { assertValidationBody, apiErrorOf } from "./support/api-errors.ts";
import { type Service, startService } from "./support/service.ts";
import { UNLIMITED } from "./support/settings.ts";

let service: Service;
let ada: Person;
let bob: Person;
before(async () => {
  service = await startService(UNLIMITED);
  ada = await newPerson(service);
  bob = await newPerson(service);
});
after(() => service?.stop());

interface Result {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: unknown;
}

function batch(operations: unknown, person: Person = ada): Promise<TableAnswer> {
  return person.send("POST /functions/v1/batch", { body: { operations } });
}

const countAgents = async (name: string) => (await ada.send(`GET /agents?name=eq.${name}&select=id`)).rows.length;

async function addAgent({ client }: Person, row: Row): Promise<Row> {
  return ok(await client.from("agents").insert(row).select().single()) as Row;
}

test("4 beyond: batch: operations run in order, and each sees the effects of those before it", async () => {
  const operations = (agentId: string, toolId: string) => [
    { method: "POST", path: "/agents", body: { id: agentId, name: "Batched" } },
    { method: "POST", path: "/tools", body: { id: toolId, name: `t_${toolId.slice(0, 8)}`, description: "Test" } },
    { method: "POST", path: "/agent_tools", body: { agent_id: agentId, tool_id: toolId } },
    {
      method: "PATCH",
      path: `/agents?id=eq.${agentId}`,
      body: { role: "x" },
      headers: { Prefer: "return=representation" },
    },
    { method: "GET", path: `/agents?id=eq.${agentId}&select=name,role,agent_tools(tool_id)` },
  ];
  const check = (results: readonly Result[], toolId: string) => {
    assert.deepEqual(
      results.map(({ status }) => status),
      [201, 201, 201, 200, 200],
    );
    assert.deepEqual(results[4]?.body, [{ name: "Batched", role: "x", agent_tools: [{ tool_id: toolId }] }]);
  };
  const [first, second] = [randomUUID(), randomUUID()];
  const byHand = await batch(operations(randomUUID(), first));
  assert.equal(byHand.status, 200, byHand.text);
  check(byHand.body["results"] as Result[], first);
  const library = await ada.client.functions.invoke("batch", {
    body: { operations: operations(randomUUID(), second) },
  });
  assert.equal(library.error, null);
  check((library.data as { results: Result[] }).results, second);
});

test("4 beyond: batch: the first operation that fails rolls all of them back, and the response is its error with its index", async () => {
  const good = { method: "POST", path: "/agents", body: { name: "Undone" } };
  const failures: [unknown, number, string][] = [
    [{ method: "POST", path: "/agents", body: { name: "" } }, 400, "VALIDATION_ERROR"],
    [{ method: "POST", path: "/agents", body: { name: "x", model: "none" } }, 400, "INVALID_MODEL"],
    [{ method: "PATCH", path: `/agents?id=eq.${randomUUID()}`, body: { name: "x" } }, 404, "AGENT_NOT_FOUND"],
    [{ method: "GET", path: "/nowhere" }, 404, "PGRST205"],
    [{ method: "GET", path: "/agents?id=eq.x" }, 400, "22P02"],
    [{ method: "DELETE", path: "/agents" }, 400, "21000"],
    [{ method: "POST", path: "/webhook_deliveries", body: {} }, 403, "FORBIDDEN"],
  ];
  for (const [bad, status, code] of failures) {
    const answer = await batch([good, bad, good]);
    assert.deepEqual([answer.status, answer.body["code"], answer.body["operation"]], [status, code, 1], answer.text);
    assert.equal(await countAgents("Undone"), 0);
  }
  const { error } = await ada.client.functions.invoke("batch", { body: { operations: [good, failures[0]?.[0]] } });
  assert.equal(error?.name, "FunctionsHttpError");
  assert.equal(await countAgents("Undone"), 0);
});

test("4 beyond: batch: a read that returns no single object rolls nothing back, and its error is in the results", async () => {
  const answer = await batch([
    { method: "POST", path: "/agents", body: { name: "Stays" } },
    { method: "GET", path: "/tools?name=eq.nothing", headers: { Accept: SINGLE.accept } },
  ]);
  const results = answer.body["results"] as Result[];
  assert.deepEqual(
    results.map(({ status }) => status),
    [201, 406],
  );
  assert.partialDeepStrictEqual(results[1]?.body, { code: "PGRST116" });
  assert.equal(await countAgents("Stays"), 1);
});

test("4 beyond: batch: operations have the same permissions as single requests", async () => {
  const { id } = await addAgent(bob, { name: "Bob's" });
  const seen = await batch([{ method: "GET", path: `/agents?id=eq.${String(id)}` }]);
  assert.deepEqual((seen.body["results"] as Result[])[0]?.body, []);
  const taken = await batch([{ method: "PATCH", path: `/agents?id=eq.${String(id)}`, body: { name: "Taken" } }]);
  assert.deepEqual([taken.status, taken.body["code"]], [403, "PERMISSION_DENIED"]);
  const { anon_key: key } = service.credentials;
  for (const authorization of [undefined, `Bearer ${key}`]) {
    const answer = await ada.send("POST /functions/v1/batch", {
      body: { operations: [{ method: "GET", path: "/agents" }] },
      headers: { authorization },
    });
    assert.deepEqual([answer.status, answer.body["code"]], [401, "UNAUTHORIZED"]);
  }
  for (const header of ["authorization", "apikey", "x-http-method-override"]) {
    const answer = await batch([{ method: "GET", path: "/agents", headers: { [header]: "x" } }]);
    assert.equal(apiErrorOf(answer).status, 400, header);
  }
});

test("4 beyond: batch: a malformed batch is a validation error", async () => {
  const one = { method: "GET", path: "/agents" };
  const cases: unknown[] = [
    undefined,
    [],
    "x",
    {},
    [{ ...one, method: "TRACE" }],
    [{ ...one, path: "agents" }],
    [{ path: "/agents" }],
    Array.from({ length: 101 }, () => one),
  ];
  for (const operations of cases) {
    const { status, code } = apiErrorOf(await batch(operations));
    assert.deepEqual([status, code], [400, "VALIDATION_ERROR"], JSON.stringify(operations)?.slice(0, 80));
  }
  assert.equal(((await batch(Array.from({ length: 100 }, () => one))).body["results"] as unknown[]).length, 100);
});

test("4 beyond: bulk PATCH: sets individual values for each row, by primary key", async () => {
  const agents = [
    await addAgent(ada, { name: "A" }),
    await addAgent(ada, { name: "B" }),
    await addAgent(ada, { name: "C" }),
  ];
  const rows = agents.slice(0, 2).map(({ id }, at) => ({ id, name: `Renamed ${at}`, role: `role ${at}` }));
  const answer = await ada.send("PATCH /agents", { body: rows, headers: REPRESENTATION });
  assert.equal(answer.status, 200, answer.text);
  const byId = new Map(answer.rows.map((row) => [row["id"], row]));
  for (const { id, name, role } of rows) {
    assert.deepEqual([byId.get(id)?.["name"], byId.get(id)?.["role"]], [name, role]);
  }
  assert.equal(onlyRow(await ada.send(`GET /agents?id=eq.${String(agents[2]?.["id"])}`))["name"], "C");
  const silent = await ada.send("PATCH /agents", { body: rows });
  assert.deepEqual([silent.status, silent.text], [204, ""]);
});

test("4 beyond: bulk PATCH: skips rows that do not exist or belong to others, and an invalid value changes nothing", async () => {
  const own = await addAgent(ada, { name: "Own" });
  const foreign = await addAgent(bob, { name: "Foreign" });
  const rows = [own, foreign, { id: randomUUID() }].map(({ id }) => ({ id, name: "Changed" }));
  const answer = await ada.send("PATCH /agents?select=id", { body: rows, headers: REPRESENTATION });
  assert.deepEqual(answer.rows, [{ id: own["id"] }]);
  assert.equal(onlyRow(await bob.send(`GET /agents?id=eq.${String(foreign["id"])}`))["name"], "Foreign");

  const faulty = [
    { id: own["id"], name: "Fine" },
    { id: randomUUID(), name: "" },
  ];
  assertValidationBody(await ada.send("PATCH /agents", { body: faulty }), ["1.name"]);
  const uneven = [
    { id: own["id"], name: "Fine" },
    { id: randomUUID(), role: "x" },
  ];
  assert.equal(apiErrorOf(await ada.send("PATCH /agents", { body: uneven })).status, 400);
  const twice = [
    { id: own["id"], name: "One" },
    { id: own["id"], name: "Two" },
  ];
  assert.equal(apiErrorOf(await ada.send("PATCH /agents", { body: twice })).status, 400);
  const keyless = [{ name: "One" }, { name: "Two" }];
  assert.equal(apiErrorOf(await ada.send("PATCH /agents", { body: keyless })).status, 400);
  assert.equal(onlyRow(await ada.send(`GET /agents?id=eq.${String(own["id"])}`))["name"], "Changed");
});

const FORM = { "x-http-method-override": "GET", "content-type": "application/x-www-form-urlencoded" };

test("4 beyond: a read by POST: accepts filters that are too long for a URL", async () => {
  const expected = await addAgent(ada, { name: "Found" });
  const ids = [...Array.from({ length: 9_000 }, () => randomUUID()), String(expected["id"])];
  const body = `select=id,name&id=in.(${ids.join(",")})`;
  assert.ok(body.length > 256 * 1024);
  const answer = await ada.send("POST /agents", { body, headers: { ...FORM, prefer: "count=exact" } });
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(answer.rows, [{ id: expected["id"], name: "Found" }]);
  assert.equal(answer.headers["content-range"], "0-0/1");
  const single = await ada.send("POST /agents", {
    body: `id=eq.${String(expected["id"])}`,
    headers: { ...FORM, ...SINGLE },
  });
  assert.equal(single.body["name"], "Found");
});

test("4 beyond: a read by POST: is read-only and returns only rows that the caller can read", async () => {
  const { id } = await addAgent(bob, { name: "Bob's" });
  assert.deepEqual((await ada.send("POST /agents", { body: `id=eq.${String(id)}`, headers: FORM })).rows, []);
  const before = (await ada.send("GET /agents?select=id")).rows.length;
  assert.equal((await ada.send("POST /agents", { body: "name=eq.Made&select=id", headers: FORM })).status, 200);
  assert.equal((await ada.send("GET /agents?select=id")).rows.length, before);
  for (const method of ["DELETE", "PATCH", "PUT", "nonsense"]) {
    const answer = await ada.send("POST /agents", {
      body: "name=eq.x",
      headers: { ...FORM, "x-http-method-override": method },
    });
    assert.ok(apiErrorOf(answer).status < 500, method);
  }
  assert.equal((await ada.send("GET /agents?select=id")).rows.length, before);
});

test("4 beyond: batch: numbers keep all their digits in requests and responses", async () => {
  const id = randomUUID();
  const settings = '{"seed":12345678901234567890,"scale":1.10,"tiny":1e-400}';
  const operations = `[
    {"method":"POST","path":"/agents","body":{"id":"${id}","name":"Exact","settings":${settings}}},
    {"method":"GET","path":"/agents?id=eq.${id}&select=settings"}]`;
  const { status, text } = await ada.send("POST /functions/v1/batch", { body: `{"operations":${operations}}` });
  assert.equal(status, 200, text);
  assert.match(text, /"seed":\s*12345678901234567890\b/);
  assert.match(text, /"scale":\s*1\.10\b/);
  const { text: stored } = await ada.send(`GET /agents?id=eq.${id}&select=settings`);
  assert.match(stored, /12345678901234567890\b/);
});

test("4 beyond: batch: a body that is not JSON is rejected like on other routes", async () => {
  for (const body of ["{", "[1,", `{"operations":${"[".repeat(20_000)}`]) {
    assertValidationBody(await ada.send("POST /functions/v1/batch", { body }), ["body"]);
  }
  const plain = await ada.send("POST /functions/v1/batch", { body: "{}", headers: { "content-type": "text/plain" } });
  assert.equal(plain.status, 415);
});

test("4 beyond: batch: unknown members of an operation are listed in warnings with its index", async () => {
  const operations = [
    { method: "GET", path: "/agents?limit=0" },
    { method: "GET", path: "/agents?limit=0", header: { Prefer: "count=exact" } },
  ];
  const { status, body } = await batch(operations);
  assert.equal(status, 200);
  assert.deepEqual(body["warnings"], ["Unknown member `operations.1.header`; perhaps you meant `headers`."]);
  assert.equal((body["results"] as Result[]).length, 2);
});
