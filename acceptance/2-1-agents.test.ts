import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { assertRejectedField, createBothWays } from "./support/both-ways.ts";
import { ok } from "./support/clients.ts";
import { ISO_8601, UUID } from "./support/patterns.ts";
import { newPerson, onlyRow, openServiceRole, type Person, REPRESENTATION, type Row } from "./support/people.ts";
import { assertFields, assertValidationBody, libraryErrorOf } from "./support/api-errors.ts";
import { type Service, startService } from "./support/service.ts";
import { UNLIMITED } from "./support/settings.ts";

const LONG_AGO = "2001-01-01T00:00:00Z";

let service: Service;
let ada: Person;
let bob: Person;
before(async () => {
  service = await startService(UNLIMITED);
  ada = await newPerson(service);
  bob = await newPerson(service);
});
after(() => service?.stop());

async function addAgent(row: Row = {}): Promise<Row> {
  return onlyRow(await ada.send("POST /agents", { body: { name: "Ada", ...row }, headers: REPRESENTATION }));
}

async function addTool(): Promise<Row> {
  const row = { name: `tool_${randomUUID().slice(0, 8)}`, description: "Says what time it is" };
  return onlyRow(await ada.send("POST /tools", { body: row, headers: REPRESENTATION }));
}

test("2.1 an agent that is created with only a name has all documented fields and defaults", async () => {
  for (const { id, created_at, updated_at, ...rest } of await createBothWays(ada, "agents", { name: "Ada" })) {
    assert.match(String(id), UUID);
    assert.match(String(created_at), ISO_8601);
    assert.match(String(updated_at), ISO_8601);
    assert.ok(Math.abs(Date.parse(String(created_at)) - Date.now()) < 60_000, "now");
    const { user_id, name, role, avatar, framework, model, system_prompt, settings, status } = rest;
    assert.deepEqual([rest["description"], rest["starter_questions"]], [null, []]);
    assert.deepEqual(
      { user_id, name, role, avatar, framework, model, system_prompt, settings, status },
      {
        user_id: ada.id,
        name: "Ada",
        role: null,
        avatar: null,
        framework: "provider_a",
        model: null,
        system_prompt: null,
        settings: {},
        status: "idle",
      },
    );
  }
});

test("2.1 an agent keeps every field that is given", async () => {
  const { rows: models } = await ada.send("GET /models?framework=eq.provider_b&limit=1&select=id");
  const row = {
    name: "Grace 🚀",
    role: "Reviewer",
    avatar: "https://example.com/grace.png",
    description: "Reads drafts, says what is wrong.",
    starter_questions: ['What is "wrong", here?', "{a,b}"],
    framework: "provider_b",
    model: models[0]?.["id"],
    system_prompt: "You are 'careful'; \"exact\" \\ and {kind}.",
    settings: { temperature: 0.2, stop: ["END"] },
  };
  for (const made of await createBothWays(ada, "agents", row)) {
    assert.deepEqual(Object.fromEntries(Object.keys(row).map((name) => [name, made[name]])), row);
  }
});

test("2.1 an agent's name has 1 to 100 characters, counted as code points after trimming", async () => {
  for (const name of ["x", "n".repeat(100), "é".repeat(100), "🚀".repeat(100)]) {
    for (const made of await createBothWays(ada, "agents", { name })) assert.equal(made["name"], name);
  }
  assert.equal((await addAgent({ name: "  Ada  " }))["name"], "Ada");
  for (const name of ["", "   ", "n".repeat(101), "🚀".repeat(101), 7, null, ["Ada"], { first: "Ada" }]) {
    await assertRejectedField(ada, "agents", { name }, "name");
  }
});

test("2.1 an agent's user_id is always the caller", async () => {
  for (const made of await createBothWays(ada, "agents", { name: "Ada", user_id: ada.id })) {
    assert.equal(made["user_id"], ada.id);
  }
  const answer = await ada.send("POST /agents", { body: { name: "Ada", user_id: bob.id } });
  assert.deepEqual([answer.status, answer.body["code"]], [403, "PERMISSION_DENIED"]);
  const { id } = await addAgent();
  const given = await ada.client.from("agents").update({ user_id: bob.id }).eq("id", id);
  assert.deepEqual([given.status, given.error?.code], [403, "PERMISSION_DENIED"]);
  assert.deepEqual((await bob.send(`GET /agents?id=eq.${String(id)}`)).rows, []);
});

test("2.1 the service role sets user_id of an agent that it creates", async () => {
  const { client, send } = openServiceRole(service);
  assertValidationBody(await send("POST /agents", { body: { name: "Ada" } }), ["user_id"]);
  const made = ok(await client.from("agents").insert({ name: "Given", user_id: ada.id }).select().single()) as Row;
  assert.equal(made["user_id"], ada.id);
});

test("2.1 an agent's framework is provider_a, provider_b or provider_c", async () => {
  for (const framework of ["provider_a", "provider_b", "provider_c"]) {
    for (const made of await createBothWays(ada, "agents", { name: "Ada", framework })) {
      assert.equal(made["framework"], framework);
    }
  }
});

test("2.1 an agent's model must be available for its framework, and an empty model is stored as null", async () => {
  const { rows } = await ada.send("GET /models?select=framework,id");
  for (const framework of ["provider_a", "provider_b", "provider_c"]) {
    const offered = rows.find((row) => row["framework"] === framework)?.["id"];
    const foreign = rows.find((row) => row["framework"] !== framework)?.["id"];
    assert.equal((await addAgent({ framework, model: offered }))["model"], offered);
    const answer = await ada.send("POST /agents", { body: { name: "Ada", framework, model: foreign } });
    assert.deepEqual([answer.status, answer.body["code"]], [400, "INVALID_MODEL"], answer.text);
    assertFields(answer.body["details"], ["model"]);
    const rejected = libraryErrorOf(await ada.client.from("agents").insert({ name: "Ada", framework, model: "none" }));
    assert.deepEqual([rejected.status, rejected.code], [400, "INVALID_MODEL"]);
  }
  assert.equal((await addAgent({ model: "" }))["model"], null);
});

test("2.1 an agent's starter_questions are at most 10 texts of 1 to 200 characters after trimming", async () => {
  const made = await addAgent({ starter_questions: ["  Where?  ", "🚀".repeat(200)] });
  assert.deepEqual(made["starter_questions"], ["Where?", "🚀".repeat(200)]);
  const tooMany = Array.from({ length: 11 }, (_, index) => `Question ${index}`);
  for (const starter_questions of [tooMany, ["q".repeat(201)], [" "], [null], [7], [["a"]], "a", null])
    await assertRejectedField(ada, "agents", { name: "Ada", starter_questions }, "starter_questions");
});

test("2.1 an agent's role, avatar and system_prompt have maximum lengths", async () => {
  const fine: Row[] = [
    { role: "r".repeat(200) },
    { description: "d".repeat(2000) },
    { avatar: `https://example.com/${"a".repeat(2028)}` },
    { avatar: "http://example.com/a.png" },
    { system_prompt: "p".repeat(100_000) },
  ];
  for (const row of fine) {
    const [field = ""] = Object.keys(row);
    assert.equal((await addAgent(row))[field], row[field]);
  }
  const rejected: Row[] = [
    { role: "r".repeat(201) },
    { description: "d".repeat(2001) },
    { avatar: `https://example.com/${"a".repeat(2029)}` },
    { avatar: "javascript:alert(1)" },
    { avatar: "portrait.png" },
    { system_prompt: "p".repeat(100_001) },
    { settings: { more: "s".repeat(33_000) } },
  ];
  for (const row of rejected)
    await assertRejectedField(ada, "agents", { name: "Ada", ...row }, Object.keys(row)[0] ?? "");
});

test("2.1 an agent's id can be set at creation and never changes; the service sets created_at and updated_at", async () => {
  const id = randomUUID();
  const made = await addAgent({ id, created_at: LONG_AGO, updated_at: LONG_AGO, status: "error" });
  assert.equal(made["id"], id);
  assert.equal(made["status"], "idle", "whatever was sent");
  assert.ok(Date.parse(String(made["created_at"])) > Date.parse(LONG_AGO));
  assert.ok(Date.parse(String(made["updated_at"])) > Date.parse(LONG_AGO));
  const again = await ada.send("POST /agents", { body: { id, name: "Another" } });
  assert.equal(again.status, 409, again.text);
  assertValidationBody(await ada.send(`PATCH /agents?id=eq.${id}`, { body: { id: randomUUID() } }), ["id"]);

  const whole = { ...made, name: "Sent back", created_at: LONG_AGO, updated_at: LONG_AGO };
  const changed = ok(await ada.client.from("agents").update(whole).eq("id", id).select().single()) as Row;
  assert.equal(changed["name"], "Sent back");
  assert.equal(changed["created_at"], made["created_at"]);
  assert.ok(Date.parse(String(changed["updated_at"])) >= Date.parse(String(made["updated_at"])));
  assert.notEqual(changed["updated_at"], made["updated_at"]);
});

test("2.1 deleting an agent removes it from swarms and deletes its assignments, and keeps its messages", async () => {
  const agent = await addAgent({ name: "Leaving" });
  const tool = await addTool();
  const swarm = ok(await ada.client.from("swarms").insert({ name: "Swarm" }).select().single()) as Row;
  ok(await ada.client.from("agent_tools").insert({ agent_id: agent["id"], tool_id: tool["id"] }));
  ok(await ada.client.from("swarm_agents").insert({ swarm_id: swarm["id"], agent_id: agent["id"] }));
  const { client } = openServiceRole(service);
  const said = { swarm_id: swarm["id"], sender_type: "agent", sender_agent_id: agent["id"], content: "I was here" };
  ok(await client.from("messages").insert(said));

  assert.equal((await ada.send(`DELETE /agents?id=eq.${String(agent["id"])}`)).status, 204);
  for (const table of ["agent_tools", "swarm_agents"]) {
    assert.deepEqual((await ada.send(`GET /${table}?agent_id=eq.${String(agent["id"])}`)).rows, [], table);
  }
  const [message] = ok(await ada.client.from("messages").select().eq("swarm_id", swarm["id"])) as Row[];
  assert.deepEqual(
    [message?.["content"], message?.["sender_name"], message?.["sender_deleted"]],
    ["I was here", "Leaving", true],
  );
});
