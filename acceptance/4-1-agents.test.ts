import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { ok } from "./support/clients.ts";
import { newPerson, onlyRow, type Person, REPRESENTATION, type Row, SINGLE } from "./support/people.ts";
import { assertFields, assertValidationBody, libraryErrorOf, apiErrorOf } from "./support/api-errors.ts";
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

async function addAgent({ client }: Person, row: Row = {}): Promise<string> {
  const made = ok(
    await client
      .from("agents")
      .insert({ name: "Agent", ...row })
      .select()
      .single(),
  ) as Row;
  return String(made["id"]);
}

/** The status and code of an error, equal over plain HTTPS and through the library. */
function assertBothRejected(
  byHand: Parameters<typeof apiErrorOf>[0],
  byLibrary: Parameters<typeof libraryErrorOf>[0],
  expected: readonly [status: number, code: string],
): void {
  const refusals = [apiErrorOf(byHand), libraryErrorOf(byLibrary)];
  for (const { status, code } of refusals) assert.deepEqual([status, code], expected, byHand.text);
  assert.equal(refusals[0]?.message, refusals[1]?.message);
}

test("4.1 list: returns an array of the caller's agents", async () => {
  const person = await newPerson(service);
  const empty = await person.send("GET /agents");
  assert.deepEqual([empty.status, empty.text], [200, "[]"]);
  const ids = [await addAgent(person), await addAgent(person)];
  await addAgent(bob);
  const listed = await person.send("GET /agents?order=created_at");
  assert.equal(listed.status, 200);
  assert.deepEqual(
    listed.rows.map(({ id, user_id }) => [id, user_id]),
    ids.map((id) => [id, person.id]),
  );
  assert.deepEqual(ok(await person.client.from("agents").select().order("created_at")), listed.rows);
});

test("4.1 get: returns the agent record, with its tools embedded on request", async () => {
  const id = await addAgent(ada, { name: "Equipped" });
  const tool = ok(
    await ada.client
      .from("tools")
      .insert({ name: `clock_${randomUUID().slice(0, 8)}`, description: "Time" })
      .select()
      .single(),
  ) as Row;
  ok(await ada.client.from("agent_tools").insert({ agent_id: id, tool_id: tool["id"] }));
  const byHand = await ada.send(`GET /agents?id=eq.${id}&select=*,agent_tools(*,tool:tools(*))`, { headers: SINGLE });
  const agent = onlyRow(byHand);
  assert.equal(agent["name"], "Equipped");
  const [assignment] = agent["agent_tools"] as Row[];
  assert.deepEqual([assignment?.["enabled"], assignment?.["tool"]], [true, tool]);
  const library = ada.client.from("agents").select("*,agent_tools(*,tool:tools(*))").eq("id", id).single();
  assert.deepEqual(ok(await library), agent);
  const computed = await ada.send(`GET /agents?id=eq.${id}&select=agent_tools(tool(id,name))`, { headers: SINGLE });
  assert.deepEqual(onlyRow(computed)["agent_tools"], [{ tool: { id: tool["id"], name: tool["name"] } }]);
});

test("4.1 create: returns 201 with an idle agent of the caller, and its Location", async () => {
  const byHand = await ada.send("POST /agents", {
    body: { name: "Made", framework: "provider_c" },
    headers: { ...REPRESENTATION, ...SINGLE },
  });
  assert.equal(byHand.status, 201);
  const { id, user_id, status, framework } = onlyRow(byHand);
  assert.deepEqual([user_id, status, framework], [ada.id, "idle", "provider_c"]);
  const headers = await ada.send("POST /agents", {
    body: { name: "Made" },
    headers: { prefer: "return=headers-only" },
  });
  assert.match(headers.headers.location ?? "", /^\/agents\?id=eq\.[0-9a-f-]{36}$/);
  assert.equal(onlyRow(await ada.send(`GET ${headers.headers.location}`))["name"], "Made");
  const library = await ada.client.from("agents").insert({ name: "Made", framework: "provider_c" }).select().single();
  assert.equal(library.status, 201);
  assert.notEqual((ok(library) as Row)["id"], id);
});

test("4.1 create: inserts several agents, all or none", async () => {
  const rows = [{ name: "First" }, { name: "Second" }];
  const many = await ada.send("POST /agents", { body: rows, headers: REPRESENTATION });
  assert.deepEqual([many.status, many.rows.map(({ name }) => name)], [201, ["First", "Second"]]);
  const before = (await ada.send("GET /agents?select=id")).rows.length;
  const faulty = await ada.send("POST /agents", { body: [{ name: "Third" }, { name: "" }, { name: 7 }] });
  assertValidationBody(faulty, ["1.name", "2.name"]);
  assert.equal((await ada.send("GET /agents?select=id")).rows.length, before);
});

test("4.1 create: in a list, a key that one row lacks takes its default, and errors name their row", async () => {
  const agents = () => ada.client.from("agents");
  const rows = [{ name: "a" }, { name: "b", framework: "provider_b", role: "r", settings: { top_p: 1 } }];
  const made = ok(await agents().insert(rows).select("id,name,framework,role,settings")) as Row[];
  assert.deepEqual(
    made.map(({ id: _id, ...agent }) => agent),
    [
      { name: "a", framework: "provider_a", role: null, settings: {} },
      { name: "b", framework: "provider_b", role: "r", settings: { top_p: 1 } },
    ],
  );
  // A column that a row omits keeps its value.
  const [first, second] = made.map(({ id }) => id);
  const changed = [
    { id: first, name: "aa", framework: "provider_c" },
    { id: second, name: "bb" },
  ];
  const upserted = ok(await agents().upsert(changed).select("name,framework,role")) as Row[];
  assert.deepEqual(upserted, [
    { name: "aa", framework: "provider_c", role: null },
    { name: "bb", framework: "provider_b", role: "r" },
  ]);
  const rejected = await agents().insert([{ name: "c" }, { name: "d", framework: null }, { name: "e", model: "none" }]);
  assert.deepEqual(Object.keys(libraryErrorOf(rejected).details as Row), ["1.framework"]);
  const unknown = await agents().insert([{ name: "c" }, { name: "e", model: "none" }]);
  const { code, details } = libraryErrorOf(unknown);
  assert.deepEqual([code, Object.keys(details as Row)], ["INVALID_MODEL", ["1.model"]]);
});

test("4.1 rule 1: a missing name is a validation error that names the field", async () => {
  assertValidationBody(await ada.send("POST /agents", { body: { framework: "provider_a" } }), ["name"]);
  assertValidationBody(await ada.send("POST /agents", { body: {} }), ["name"]);
  const rejected = libraryErrorOf(await ada.client.from("agents").insert({ framework: "provider_a" }));
  assert.deepEqual([rejected.status, rejected.code], [400, "VALIDATION_ERROR"]);
  assertFields(rejected.details, ["name"]);
});

test("4.1 rule 1: an invalid framework is a validation error that names the field", async () => {
  for (const framework of ["openai", "", "PROVIDER_A", "provider_a ", 1, {}]) {
    const answer = await ada.send("POST /agents", { body: { name: "Ada", framework } });
    assertValidationBody(answer, ["framework"]);
    const rejected = libraryErrorOf(await ada.client.from("agents").insert({ name: "Ada", framework }));
    assert.deepEqual([rejected.status, rejected.code], [400, "VALIDATION_ERROR"]);
    assertFields(rejected.details, ["framework"]);
  }
  const named = await ada.send("POST /agents", { body: { name: "Ada", framework: "openai" } });
  assert.deepEqual(named.body["errors"], [{ field: "framework", code: "INVALID_FRAMEWORK" }]);
});

test("4.1 rule 1: a validation error reports all invalid fields at once", async () => {
  const body = { framework: "openai", avatar: 1, settings: { temperature: 3, stop: "x" } };
  const fields = ["name", "framework", "avatar", "settings.temperature", "settings.stop"];
  assertValidationBody(await ada.send("POST /agents", { body }), fields);
  assert.deepEqual((await ada.send("GET /agents?framework=eq.openai")).rows, []);
});

test("4.1 update: only the fields that are sent change", async () => {
  const id = await addAgent(ada, { name: "Before", role: "kept", settings: { seed: 1 } });
  const byHand = await ada.send(`PATCH /agents?id=eq.${id}`, { body: { name: "After" }, headers: REPRESENTATION });
  assert.equal(byHand.status, 200);
  const { name, role, settings } = onlyRow(byHand);
  assert.deepEqual({ name, role, settings }, { name: "After", role: "kept", settings: { seed: 1 } });
  const library = ok(await ada.client.from("agents").update({ role: null }).eq("id", id).select().single()) as Row;
  assert.deepEqual([library["name"], library["role"]], ["After", null]);
});

test("4.1 update: an object without fields changes nothing and returns the record", async () => {
  const agent = onlyRow(await ada.send(`GET /agents?id=eq.${await addAgent(ada)}`));
  const line = `PATCH /agents?id=eq.${String(agent["id"])}`;
  const minimal = await ada.send(line, { body: {} });
  assert.deepEqual([minimal.status, minimal.text], [204, ""]);
  const shown = await ada.send(line, { body: {}, headers: REPRESENTATION });
  assert.deepEqual([shown.status, shown.rows], [200, [agent]], "updated_at included");
  const library = ada.client.from("agents").update({}).eq("id", agent["id"]).select().single();
  assert.deepEqual(ok(await library), agent);
  const missing = await ada.send(`PATCH /agents?id=eq.${randomUUID()}`, { body: {} });
  assert.deepEqual([missing.status, missing.body["code"]], [404, "AGENT_NOT_FOUND"]);
  const foreign = await bob.send(line, { body: {} });
  assert.deepEqual([foreign.status, foreign.body["code"]], [403, "PERMISSION_DENIED"]);
});

test("4.1 update: an invalid value is rejected and changes nothing", async () => {
  const id = await addAgent(ada, { name: "Kept" });
  const patch = (body: Row) => ada.send(`PATCH /agents?id=eq.${id}`, { body });
  assertValidationBody(await patch({ name: "" }), ["name"]);
  assertValidationBody(await patch({ name: null }), ["name"]);
  assertValidationBody(await patch({ status: "asleep" }), ["status"]);
  assertValidationBody(await patch({ settings: null }), ["settings"]);
  const update = (row: Row) => ada.client.from("agents").update(row).eq("id", id);
  assertBothRejected(await patch({ framework: "openai" }), await update({ framework: "openai" }), [
    400,
    "INVALID_FRAMEWORK",
  ]);
  assertBothRejected(await patch({ model: "none" }), await update({ model: "none" }), [400, "INVALID_MODEL"]);
  const agent = onlyRow(await ada.send(`GET /agents?id=eq.${id}`));
  assert.deepEqual(
    [agent["name"], agent["status"], agent["framework"], agent["model"]],
    ["Kept", "idle", "provider_a", null],
  );
});

test("4.1 update: the model must be available for the framework, also when only one of them changes", async () => {
  const { rows } = await ada.send("GET /models?select=framework,id&framework=neq.provider_a");
  const [other] = rows;
  const id = await addAgent(ada, { framework: other?.["framework"], model: other?.["id"] });
  const patch = (body: Row) => ada.send(`PATCH /agents?id=eq.${id}`, { body, headers: REPRESENTATION });
  const alone = await patch({ framework: "provider_a" });
  assert.deepEqual([alone.status, alone.body["code"]], [400, "INVALID_MODEL"], alone.text);
  assert.equal(onlyRow(await patch({ framework: "provider_a", model: null }))["framework"], "provider_a");
});

test("4.1 update: the owner can set the status", async () => {
  const id = await addAgent(ada);
  for (const status of ["thinking", "responding", "error", "idle"]) {
    const byHand = await ada.send(`PATCH /agents?id=eq.${id}`, { body: { status }, headers: REPRESENTATION });
    assert.equal(onlyRow(byHand)["status"], status);
  }
  const library = ada.client.from("agents").update({ status: "error" }).eq("id", id).select("status").single();
  assert.deepEqual(ok(await library), { status: "error" });
});

test("4.1 rule 2: an update replaces settings as a whole", async () => {
  const id = await addAgent(ada, { settings: { temperature: 1, max_tokens: 10 } });
  const byHand = await ada.send(`PATCH /agents?id=eq.${id}`, {
    body: { settings: { top_p: 1 } },
    headers: REPRESENTATION,
  });
  assert.deepEqual(onlyRow(byHand)["settings"], { top_p: 1 });
  const merged = { ...(onlyRow(byHand)["settings"] as Row), temperature: 0.5 };
  const library = ada.client.from("agents").update({ settings: merged }).eq("id", id).select("settings").single();
  assert.deepEqual(ok(await library), { settings: { top_p: 1, temperature: 0.5 } });
});

test("4.1 delete: returns 204 without a body and deletes the agent", async () => {
  const id = await addAgent(ada);
  const byHand = await ada.send(`DELETE /agents?id=eq.${id}`);
  assert.deepEqual([byHand.status, byHand.text], [204, ""]);
  const other = await addAgent(ada);
  const library = await ada.client.from("agents").delete().eq("id", other);
  assert.deepEqual([library.status, library.error, library.data], [204, null, null]);
  for (const gone of [id, other]) assert.deepEqual((await ada.send(`GET /agents?id=eq.${gone}`)).rows, []);
});

test("4.1 an agent that does not exist is AGENT_NOT_FOUND", async () => {
  const id = randomUUID();
  const agents = () => ada.client.from("agents");
  const missing = [404, "AGENT_NOT_FOUND"] as const;
  const get = await ada.send(`GET /agents?id=eq.${id}`, { headers: SINGLE });
  assertBothRejected(get, await agents().select().eq("id", id).single(), missing);
  const patch = await ada.send(`PATCH /agents?id=eq.${id}`, { body: { name: "x" } });
  assertBothRejected(patch, await agents().update({ name: "x" }).eq("id", id), missing);
  assertBothRejected(await ada.send(`DELETE /agents?id=eq.${id}`), await agents().delete().eq("id", id), missing);
  assert.deepEqual(ok(await agents().select().eq("id", id)), [], "a list is empty, not missing");
  assert.equal((await ada.send(`DELETE /agents?id=eq.${id}&name=eq.x`)).status, 204, "further filters match nothing");
});

test("4.1 rule 3: only the owner can view, create, update or delete an agent", async () => {
  const id = await addAgent(bob, { name: "Bob's" });
  const agents = () => ada.client.from("agents");
  const denied = [403, "PERMISSION_DENIED"] as const;
  assert.deepEqual((await ada.send(`GET /agents?id=eq.${id}`)).rows, []);
  assertBothRejected(
    await ada.send(`GET /agents?id=eq.${id}`, { headers: SINGLE }),
    await agents().select().eq("id", id).single(),
    denied,
  );
  const created = { name: "For Bob", user_id: bob.id };
  assertBothRejected(await ada.send("POST /agents", { body: created }), await agents().insert(created), denied);
  const change = { name: "Taken" };
  const patch = await ada.send(`PATCH /agents?id=eq.${id}`, { body: change });
  assertBothRejected(patch, await agents().update(change).eq("id", id), denied);
  assertBothRejected(await ada.send(`DELETE /agents?id=eq.${id}`), await agents().delete().eq("id", id), denied);
  const upsert = await ada.send("POST /agents", {
    body: { id, name: "Taken" },
    headers: { prefer: "resolution=merge-duplicates" },
  });
  assertBothRejected(upsert, await agents().upsert({ id, name: "Taken" }), denied);
  const kept = onlyRow(await bob.send(`GET /agents?id=eq.${id}`));
  assert.deepEqual([kept["name"], kept["user_id"]], ["Bob's", bob.id]);
});

test("4.1 upsert: updates an existing agent and inserts a missing one", async () => {
  const id = await addAgent(ada, { name: "First", role: "kept" });
  const rows = [
    { id, name: "Changed" },
    { id: randomUUID(), name: "New" },
  ];
  const byHand = await ada.send("POST /agents", {
    body: rows,
    headers: { prefer: "resolution=merge-duplicates,return=representation" },
  });
  assert.deepEqual(
    byHand.rows.map(({ name, role }) => [name, role]),
    [
      ["Changed", "kept"],
      ["New", null],
    ],
  );
  const library = ok(await ada.client.from("agents").upsert({ id, name: "Again" }).select().single()) as Row;
  assert.deepEqual([library["id"], library["name"]], [id, "Again"]);
});
