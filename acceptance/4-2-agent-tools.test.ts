import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { ok } from "./support/clients.ts";
import {
  newPerson,
  onlyRow,
  openServiceRole,
  type Person,
  REPRESENTATION,
  type Row,
  SINGLE,
} from "./support/people.ts";
import { assertValidationBody, libraryErrorOf, apiErrorOf } from "./support/api-errors.ts";
import { type Service, startService } from "./support/service.ts";
import { UNLIMITED } from "./support/settings.ts";

const TOOL_FIELDS = ["id", "name", "description", "category", "icon", "input_schema"];

let service: Service;
let ada: Person;
let bob: Person;
before(async () => {
  service = await startService(UNLIMITED);
  ada = await newPerson(service);
  bob = await newPerson(service);
});
after(() => service?.stop());

async function add({ client }: Pick<Person, "client">, table: string, row: Row): Promise<Row> {
  return ok(await client.from(table).insert(row).select().single()) as Row;
}

const addAgent = (person: Person) => add(person, "agents", { name: "Agent" });
const addTool = (person: Person) =>
  add(person, "tools", {
    name: `tool_${randomUUID().slice(0, 8)}`,
    description: "Does it",
    category: "test",
    icon: "🔧",
  });

test("4.2 assign: returns the created assignment", async () => {
  for (const way of ["by hand", "by library"]) {
    const [{ id: agent_id }, { id: tool_id }] = [await addAgent(ada), await addTool(ada)];
    const row = { agent_id, tool_id, enabled: false, configuration: { unit: "km", list: [1, null] } };
    const made =
      way === "by hand"
        ? onlyRow(await ada.send("POST /agent_tools", { body: row, headers: REPRESENTATION }))
        : await add(ada, "agent_tools", row);
    const { enabled, configuration } = made;
    assert.deepEqual({ agent_id: made["agent_id"], tool_id: made["tool_id"], enabled, configuration }, row, way);
  }
});

test("4.2 list for an agent: returns its assignments with the tool embedded", async () => {
  const { id: agent_id } = await addAgent(ada);
  const tools = [await addTool(ada), await addTool(ada)];
  for (const { id: tool_id } of tools) await add(ada, "agent_tools", { agent_id, tool_id });
  const fields = TOOL_FIELDS.join(",");
  const expected = tools.map((tool) => Object.fromEntries(TOOL_FIELDS.map((name) => [name, tool[name]])));
  for (const embed of [`tool:tools(${fields})`, `tool(${fields})`]) {
    const select = `id,enabled,${embed}`;
    const byHand = await ada.send(`GET /agent_tools?agent_id=eq.${String(agent_id)}&select=${select}&order=created_at`);
    assert.deepEqual(
      byHand.rows.map(({ tool }) => tool),
      expected,
      embed,
    );
    const library = ada.client.from("agent_tools").select(select).eq("agent_id", agent_id).order("created_at");
    assert.deepEqual(ok(await library), byHand.rows);
  }
});

test("4.2 update: changes enabled and configuration, by agent and tool", async () => {
  const [{ id: agent_id }, { id: tool_id }] = [await addAgent(ada), await addTool(ada)];
  await add(ada, "agent_tools", { agent_id, tool_id, configuration: { a: 1 } });
  const filter = `agent_id=eq.${String(agent_id)}&tool_id=eq.${String(tool_id)}`;
  const byHand = await ada.send(`PATCH /agent_tools?${filter}`, { body: { enabled: false }, headers: REPRESENTATION });
  const { enabled, configuration } = onlyRow(byHand);
  assert.deepEqual([byHand.status, enabled, configuration], [200, false, { a: 1 }]);
  const library = ada.client
    .from("agent_tools")
    .update({ enabled: true, configuration: { b: 2 } })
    .match({ agent_id, tool_id });
  assert.deepEqual(ok(await library.select("enabled,configuration")), [{ enabled: true, configuration: { b: 2 } }]);
  for (const [field, value] of [
    ["enabled", "yes"],
    ["enabled", null],
    ["configuration", []],
    ["configuration", { big: "x".repeat(33_000) }],
  ] as const) {
    assertValidationBody(await ada.send(`PATCH /agent_tools?${filter}`, { body: { [field]: value } }), [field]);
  }
});

test("4.2 remove: deletes the assignment of that agent and tool only", async () => {
  const { id: agent_id } = await addAgent(ada);
  const [first, second, third] = [await addTool(ada), await addTool(ada), await addTool(ada)];
  for (const { id: tool_id } of [first, second, third]) await add(ada, "agent_tools", { agent_id, tool_id });
  const byHand = await ada.send(
    `DELETE /agent_tools?agent_id=eq.${String(agent_id)}&tool_id=eq.${String(first["id"])}`,
  );
  assert.deepEqual([byHand.status, byHand.text], [204, ""]);
  ok(await ada.client.from("agent_tools").delete().match({ agent_id, tool_id: second["id"] }));
  const left = (await ada.send(`GET /agent_tools?agent_id=eq.${String(agent_id)}&select=tool_id`)).rows;
  assert.deepEqual(left, [{ tool_id: third["id"] }]);
  const tools = await ada.send(`GET /tools?id=in.(${String(first["id"])},${String(second["id"])})`);
  assert.equal(tools.rows.length, 2, "the tools stay");
});

test("4.2 an agent can have only one assignment per tool", async () => {
  const [{ id: agent_id }, { id: tool_id }] = [await addAgent(ada), await addTool(ada)];
  await add(ada, "agent_tools", { agent_id, tool_id });
  const again = await ada.send("POST /agent_tools", { body: { agent_id, tool_id } });
  assert.deepEqual([again.status, again.body["code"]], [409, "23505"]);
  const upsert = ada.client
    .from("agent_tools")
    .upsert({ agent_id, tool_id, enabled: false }, { onConflict: "agent_id,tool_id" });
  assert.deepEqual(ok(await upsert.select("enabled")), [{ enabled: false }]);
});

test("4.2 an assignment of a missing agent or tool is rejected", async () => {
  const [{ id: agent_id }, { id: tool_id }] = [await addAgent(ada), await addTool(ada)];
  assertValidationBody(await ada.send("POST /agent_tools", { body: {} }), ["agent_id", "tool_id"]);
  assertValidationBody(await ada.send("POST /agent_tools", { body: { agent_id: "x", tool_id } }), ["agent_id"]);
  const cases: [Row, string][] = [
    [{ agent_id: randomUUID(), tool_id }, "AGENT_NOT_FOUND"],
    [{ agent_id, tool_id: randomUUID() }, "TOOL_NOT_FOUND"],
  ];
  for (const [row, code] of cases) {
    const byHand = apiErrorOf(await ada.send("POST /agent_tools", { body: row }));
    assert.deepEqual([byHand.status, byHand.code], [404, code]);
    const byLibrary = libraryErrorOf(await ada.client.from("agent_tools").insert(row));
    assert.deepEqual([byLibrary.status, byLibrary.code], [404, code]);
  }
});

test("4.2 users cannot create, read or change the assignments of another user's agent", async () => {
  const [{ id: agent_id }, { id: tool_id }] = [await addAgent(bob), await addTool(bob)];
  await add(bob, "agent_tools", { agent_id, tool_id });
  const { id: own } = await addTool(ada);
  const row = { agent_id, tool_id: own };
  const byHand = apiErrorOf(await ada.send("POST /agent_tools", { body: row }));
  assert.deepEqual([byHand.status, byHand.code], [403, "PERMISSION_DENIED"]);
  const byLibrary = libraryErrorOf(await ada.client.from("agent_tools").insert(row));
  assert.deepEqual([byLibrary.status, byLibrary.code], [403, "PERMISSION_DENIED"]);

  const filter = `agent_id=eq.${String(agent_id)}`;
  assert.deepEqual((await ada.send(`GET /agent_tools?${filter}`)).rows, []);
  const changed = await ada.send(`PATCH /agent_tools?${filter}`, { body: { enabled: false }, headers: REPRESENTATION });
  assert.deepEqual([changed.status, changed.rows], [200, []]);
  assert.deepEqual((await ada.send(`DELETE /agent_tools?${filter}`, { headers: REPRESENTATION })).rows, []);
  assert.equal(onlyRow(await bob.send(`GET /agent_tools?${filter}`))["enabled"], true);
  const single = await ada.send(`GET /agent_tools?${filter}`, { headers: SINGLE });
  assert.deepEqual([single.status, single.body["code"]], [406, "PGRST116"]);
});

test("4.2 a private tool of another user can be neither read nor assigned; a public one can", async () => {
  const { id: agent_id } = await addAgent(ada);
  const { id: tool_id } = await addTool(bob);
  assert.deepEqual((await ada.send(`GET /tools?id=eq.${String(tool_id)}`)).rows, []);
  const rejected = apiErrorOf(await ada.send("POST /agent_tools", { body: { agent_id, tool_id } }));
  assert.ok([403, 404].includes(rejected.status), rejected.code);
  const shared = await add(openServiceRole(service), "tools", {
    name: `public_${randomUUID().slice(0, 8)}`,
    description: "For all",
    visibility: "public",
  });
  const made = await add(ada, "agent_tools", { agent_id, tool_id: shared["id"] });
  assert.equal(made["tool_id"], shared["id"]);
});

test("4.2 agent_id and tool_id of an assignment cannot be changed", async () => {
  const [{ id: agent_id }, { id: tool_id }, other] = [await addAgent(ada), await addTool(ada), await addTool(ada)];
  await add(ada, "agent_tools", { agent_id, tool_id });
  const filter = `agent_id=eq.${String(agent_id)}&tool_id=eq.${String(tool_id)}`;
  assertValidationBody(await ada.send(`PATCH /agent_tools?${filter}`, { body: { tool_id: other["id"] } }), ["tool_id"]);
});
