import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { ok } from "./support/clients.ts";
import { newPerson, onlyRow, openServiceRole, type Person, REPRESENTATION, type Row } from "./support/people.ts";
import { assertFields, assertValidationBody, libraryRefusalOf, refusalOf } from "./support/refusals.ts";
import { type Service, startService } from "./support/service.ts";
import { UNHURRIED } from "./support/settings.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const ISO_8601 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
const LONG_AGO = "2001-01-01T00:00:00Z";

let service: Service;
let ada: Person;
let bob: Person;
before(async () => {
  service = await startService(UNHURRIED);
  ada = await newPerson(service);
  bob = await newPerson(service);
});
after(() => service?.stop());

/** The same row made both ways; each test looks at both. */
async function createBothWays(table: string, row: Row): Promise<[Row, Row]> {
  const byHand = await ada.send(`POST /${table}`, { body: row, headers: REPRESENTATION });
  const byLibrary: Row = ok(await ada.client.from(table).insert(row).select().single());
  return [onlyRow(byHand), byLibrary];
}

async function addAgent(row: Row = {}): Promise<Row> {
  return onlyRow(await ada.send("POST /agents", { body: { name: "Ada", ...row }, headers: REPRESENTATION }));
}

async function addTool(): Promise<Row> {
  const row = { name: `tool_${randomUUID().slice(0, 8)}`, description: "Says what time it is" };
  return onlyRow(await ada.send("POST /tools", { body: row, headers: REPRESENTATION }));
}

const WEBHOOK = { name: "Hook", url: "https://example.com/hook", events: ["agent.created", "agent.deleted"] };

/** A refused field, both ways, on create. */
async function assertRefusedField(table: string, row: Row, field: string): Promise<void> {
  const answer = await ada.send(`POST /${table}`, { body: row });
  assertValidationBody(answer, [field]);
  const refusal = libraryRefusalOf(await ada.client.from(table).insert(row));
  assert.deepEqual([refusal.status, refusal.code], [400, "VALIDATION_ERROR"]);
  assertFields(refusal.details, [field]);
}

test("2.1 an agent has these fields, and these values when only its name is given", async () => {
  for (const { id, created_at, updated_at, ...rest } of await createBothWays("agents", { name: "Ada" })) {
    assert.match(String(id), UUID);
    assert.match(String(created_at), ISO_8601);
    assert.match(String(updated_at), ISO_8601);
    assert.ok(Math.abs(Date.parse(String(created_at)) - Date.now()) < 60_000, "now");
    const { user_id, name, role, avatar, framework, model, system_prompt, settings, status } = rest;
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
    framework: "provider_b",
    model: models[0]?.["id"],
    system_prompt: "You are 'careful'; \"exact\" \\ and {kind}.",
    settings: { temperature: 0.2, stop: ["END"] },
  };
  for (const made of await createBothWays("agents", row)) {
    assert.deepEqual(Object.fromEntries(Object.keys(row).map((name) => [name, made[name]])), row);
  }
});

test("2.1 name has 1 to 100 characters, counted as people count them, without the blanks around it", async () => {
  for (const name of ["x", "n".repeat(100), "é".repeat(100), "🚀".repeat(100)]) {
    for (const made of await createBothWays("agents", { name })) assert.equal(made["name"], name);
  }
  assert.equal((await addAgent({ name: "  Ada  " }))["name"], "Ada");
  for (const name of ["", "   ", "n".repeat(101), "🚀".repeat(101), 7, null, ["Ada"], { first: "Ada" }]) {
    await assertRefusedField("agents", { name }, "name");
  }
});

test("2.1 user_id is the caller's and nobody else's", async () => {
  for (const made of await createBothWays("agents", { name: "Ada", user_id: ada.id })) {
    assert.equal(made["user_id"], ada.id);
  }
  const answer = await ada.send("POST /agents", { body: { name: "Ada", user_id: bob.id } });
  assert.deepEqual([answer.status, answer.body["code"]], [403, "PERMISSION_DENIED"]);
  const { id } = await addAgent();
  const given = await ada.client.from("agents").update({ user_id: bob.id }).eq("id", id);
  assert.deepEqual([given.status, given.error?.code], [403, "PERMISSION_DENIED"]);
  assert.deepEqual((await bob.send(`GET /agents?id=eq.${String(id)}`)).rows, []);
});

test("2.1 the service role names the user it acts for", async () => {
  const { client, send } = openServiceRole(service);
  assertValidationBody(await send("POST /agents", { body: { name: "Ada" } }), ["user_id"]);
  const made = ok(await client.from("agents").insert({ name: "Given", user_id: ada.id }).select().single()) as Row;
  assert.equal(made["user_id"], ada.id);
});

test("2.1 framework is one of three", async () => {
  for (const framework of ["provider_a", "provider_b", "provider_c"]) {
    for (const made of await createBothWays("agents", { name: "Ada", framework })) {
      assert.equal(made["framework"], framework);
    }
  }
});

test("2.1 model must be available for the framework, and an empty one is none", async () => {
  const { rows } = await ada.send("GET /models?select=framework,id");
  for (const framework of ["provider_a", "provider_b", "provider_c"]) {
    const offered = rows.find((row) => row["framework"] === framework)?.["id"];
    const foreign = rows.find((row) => row["framework"] !== framework)?.["id"];
    assert.equal((await addAgent({ framework, model: offered }))["model"], offered);
    const answer = await ada.send("POST /agents", { body: { name: "Ada", framework, model: foreign } });
    assert.deepEqual([answer.status, answer.body["code"]], [400, "INVALID_MODEL"], answer.text);
    assertFields(answer.body["details"], ["model"]);
    const refused = libraryRefusalOf(await ada.client.from("agents").insert({ name: "Ada", framework, model: "none" }));
    assert.deepEqual([refused.status, refused.code], [400, "INVALID_MODEL"]);
  }
  assert.equal((await addAgent({ model: "" }))["model"], null);
});

test("2.1 role, avatar and system_prompt have bounds", async () => {
  const fine: Row[] = [
    { role: "r".repeat(200) },
    { avatar: `https://example.com/${"a".repeat(2028)}` },
    { avatar: "http://example.com/a.png" },
    { system_prompt: "p".repeat(100_000) },
  ];
  for (const row of fine) {
    const [field = ""] = Object.keys(row);
    assert.equal((await addAgent(row))[field], row[field]);
  }
  const refused: Row[] = [
    { role: "r".repeat(201) },
    { avatar: `https://example.com/${"a".repeat(2029)}` },
    { avatar: "javascript:alert(1)" },
    { avatar: "portrait.png" },
    { system_prompt: "p".repeat(100_001) },
    { settings: { more: "s".repeat(33_000) } },
  ];
  for (const row of refused) await assertRefusedField("agents", { name: "Ada", ...row }, Object.keys(row)[0] ?? "");
});

test("2.1 id may be given once and never changes; created_at and updated_at are the service's", async () => {
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

test("2.1 a deleted agent leaves its swarms and assignments, and its messages stay", async () => {
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

const SETTINGS: Record<string, { fine: unknown[]; refused: unknown[] }> = {
  temperature: { fine: [0, 0.7, 2], refused: [-0.01, 2.01, "1", null] },
  max_tokens: { fine: [1, 4096, 1_000_000], refused: [0, -1, 1.5, "4096"] },
  presence_penalty: { fine: [-2, 0, 2], refused: [-2.1, 2.1, true] },
  frequency_penalty: { fine: [-2, 0, 2], refused: [-2.1, 2.1, []] },
  top_p: { fine: [0, 0.5, 1], refused: [-0.1, 1.1, {}] },
  stop: { fine: [null, [], ["END", "\n"]], refused: ["END", [1], Array.from({ length: 17 }, String)] },
};

for (const [key, { fine, refused }] of Object.entries(SETTINGS)) {
  test(`2.2 settings.${key} is checked`, async () => {
    for (const value of fine) {
      const [byHand, byLibrary] = await createBothWays("agents", { name: "Ada", settings: { [key]: value } });
      assert.deepEqual(byHand["settings"], { [key]: value }, "stored as sent");
      assert.deepEqual(byLibrary["settings"], { [key]: value });
    }
    for (const value of refused) {
      await assertRefusedField("agents", { name: "Ada", settings: { [key]: value } }, `settings.${key}`);
    }
  });
}

test("2.2 settings is an object, and keys that are not known are kept", async () => {
  const settings = { seed: 7, nested: { deep: [1, null, "x"] }, temperature: 1 };
  assert.deepEqual((await addAgent({ settings }))["settings"], settings);
  for (const value of [[], "{}", 1]) await assertRefusedField("agents", { name: "Ada", settings: value }, "settings");
  const body = { name: "Ada", settings: { temperature: 9, top_p: 9 } };
  assertValidationBody(await ada.send("POST /agents", { body }), ["settings.temperature", "settings.top_p"]);
});

test("2.3 an assignment and a tool have these fields", async () => {
  const tool = await addTool();
  for (const name of ["id", "name", "description", "category", "icon", "input_schema"]) assert.ok(name in tool, name);
  for (const byLibrary of [false, true]) {
    const { id: agent_id } = await addAgent();
    const row = { agent_id, tool_id: tool["id"] };
    const made: Row = byLibrary
      ? ok(await ada.client.from("agent_tools").insert(row).select().single())
      : onlyRow(await ada.send("POST /agent_tools", { body: row, headers: REPRESENTATION }));
    const { enabled, configuration } = made;
    assert.deepEqual(
      { agent_id: made["agent_id"], tool_id: made["tool_id"], enabled, configuration },
      { ...row, enabled: true, configuration: {} },
    );
    assert.match(String(made["id"]), UUID);
    assert.match(String(made["created_at"]), ISO_8601);
  }
});

test("2.4 a webhook has these fields, and these values when only the required ones are given", async () => {
  for (const made of await createBothWays("webhooks", WEBHOOK)) {
    assert.match(String(made["id"]), UUID);
    assert.match(String(made["secret"]), /^whsec_[A-Za-z0-9+/]{43}=$/);
    for (const name of ["created_at", "updated_at"]) assert.match(String(made[name]), ISO_8601);
    const { user_id, name, url, events, is_active, headers, retry_count, timeout_ms } = made;
    assert.deepEqual(
      { user_id, name, url, events, is_active, headers, retry_count, timeout_ms },
      { ...WEBHOOK, user_id: ada.id, is_active: true, headers: {}, retry_count: 3, timeout_ms: 30_000 },
    );
  }
});

test("2.4 what a webhook requires, and its bounds", async () => {
  for (const field of Object.keys(WEBHOOK)) {
    const { [field]: _, ...rest } = WEBHOOK as Row;
    await assertRefusedField("webhooks", rest, field);
    await assertRefusedField("webhooks", { ...rest, [field]: null }, field);
  }
  assertValidationBody(await ada.send("POST /webhooks", { body: {} }), ["name", "url", "events"]);
  const refused: Row[] = [
    { name: "" },
    { name: "n".repeat(101) },
    { events: [] },
    { events: "agent.created" },
    { is_active: "yes" },
    { headers: [] },
    { retry_count: -1 },
    { retry_count: 11 },
    { retry_count: 1.5 },
    { timeout_ms: 0 },
    { timeout_ms: 120_001 },
  ];
  for (const row of refused) await assertRefusedField("webhooks", { ...WEBHOOK, ...row }, Object.keys(row)[0] ?? "");
  const fine = { is_active: false, headers: { "X-Team": "blue" }, retry_count: 10, timeout_ms: 120_000 };
  for (const made of await createBothWays("webhooks", { ...WEBHOOK, ...fine })) {
    assert.deepEqual(Object.fromEntries(Object.keys(fine).map((name) => [name, made[name]])), fine);
  }
});

test("2.5 a delivery has these fields, and goes with its webhook", async () => {
  const [webhook] = await createBothWays("webhooks", { ...WEBHOOK, is_active: false });
  const webhook_id = webhook["id"];
  const payload = {
    id: `evt_${randomUUID()}`,
    type: "agent.created",
    created_at: LONG_AGO,
    api_version: "x",
    data: {},
  };
  const { client } = openServiceRole(service);
  const row = { webhook_id, user_id: ada.id, event_id: randomUUID(), event_type: "agent.created", payload };
  const made = ok(await client.from("webhook_deliveries").insert(row).select().single()) as Row;
  const { event_type, status, status_code, response_body, attempts, next_retry_at, delivered_at } = made;
  assert.deepEqual(
    { event_type, status, status_code, response_body, attempts, next_retry_at, delivered_at },
    {
      event_type: "agent.created",
      status: "pending",
      status_code: null,
      response_body: null,
      attempts: 0,
      next_retry_at: null,
      delivered_at: null,
    },
  );
  assert.deepEqual(made["payload"], payload);
  assert.deepEqual(Object.keys(made["payload"] as Row), Object.keys(payload), "in the order it was written");
  assert.match(String(made["id"]), UUID);
  assert.match(String(made["created_at"]), ISO_8601);
  const seen = onlyRow(await ada.send(`GET /webhook_deliveries?webhook_id=eq.${String(webhook_id)}`));
  assert.equal(seen["id"], made["id"]);

  for (const field of ["event_type", "payload"]) {
    const { [field]: _, ...rest } = row as Row;
    const refused = libraryRefusalOf(
      await client.from("webhook_deliveries").insert({ ...rest, event_id: randomUUID() }),
    );
    assert.equal(refused.status, 400, field);
  }
  ok(await ada.client.from("webhooks").delete().eq("id", webhook_id));
  assert.deepEqual(ok(await client.from("webhook_deliveries").select("id").eq("webhook_id", webhook_id)), []);
});

test("2.5 deliveries are read-only to users", async () => {
  const [webhook] = await createBothWays("webhooks", { ...WEBHOOK, is_active: false });
  const row = { webhook_id: webhook["id"], event_type: "agent.created", payload: {}, event_id: randomUUID() };
  const answers = [
    await ada.send("POST /webhook_deliveries", { body: row }),
    await ada.send(`PATCH /webhook_deliveries?webhook_id=eq.${String(webhook["id"])}`, {
      body: { status: "delivered" },
    }),
    await ada.send(`DELETE /webhook_deliveries?webhook_id=eq.${String(webhook["id"])}`),
  ];
  for (const answer of answers) {
    const { status, code } = refusalOf(answer);
    assert.deepEqual([status, code], [403, "FORBIDDEN"], answer.text);
  }
});
