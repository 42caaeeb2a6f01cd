import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { newPerson, type Person, SINGLE } from "./support/people.ts";
import { apiErrorOf } from "./support/api-errors.ts";
import { add, change, read } from "./support/swarms.ts";
import { type Answer, type Service, startService } from "./support/service.ts";
import { UNLIMITED } from "./support/settings.ts";

let service: Service;
let ada: Person;
let bob: Person;
let eve: Person;
before(async () => {
  service = await startService(UNLIMITED);
  [ada, bob, eve] = await Promise.all([newPerson(service), newPerson(service), newPerson(service)]);
});
after(() => service?.stop());

test("1 users read their own profile, settings, agents and tools, and the messages of swarms they are members of", async () => {
  const swarm_id = await add(ada, "swarms", { name: "Room" });
  const agent_id = await add(ada, "agents", { name: "Ann" });
  const message_id = await add(ada, "messages", { swarm_id, content: "Between us" });
  const tool_id = await add(ada, "tools", {
    name: "look_up",
    description: "Looks something up.",
    input_schema: { type: "object" },
    kind: "http",
    config: { url: "https://example.com/look-up" },
  });
  const membership = await add(ada, "swarm_members", { swarm_id, user_id: bob.id });
  await change(bob, "swarm_members", membership, { status: "active" });

  const seen = async (person: Person) => {
    const owners = async (path: string, column: string) =>
      new Set((await read(person, path)).map((row) => (row[column] === person.id ? "own" : "another's")));
    const has = async (table: string, id: string) => (await read(person, `/${table}?id=eq.${id}`)).length === 1;
    return {
      profiles: [...(await owners("/profiles", "id"))],
      settings: [...(await owners("/user_settings", "user_id"))],
      agent: await has("agents", agent_id),
      swarm: await has("swarms", swarm_id),
      message: await has("messages", message_id),
      tool: await has("tools", tool_id),
    };
  };
  const own = { profiles: ["own"], settings: ["own"] };
  assert.deepEqual(await seen(ada), { ...own, agent: true, swarm: true, message: true, tool: true });
  assert.deepEqual(await seen(bob), { ...own, agent: false, swarm: true, message: true, tool: false });
  assert.deepEqual(await seen(eve), { ...own, agent: false, swarm: false, message: false, tool: false });
});

test("1 users cannot change the profile or settings of another user", async () => {
  for (const [table, key, body] of [
    ["profiles", "id", { full_name: "Mallory" }],
    ["user_settings", "user_id", { timezone: "Europe/Paris" }],
  ] as const) {
    await eve.send(`PATCH /${table}?${key}=eq.${ada.id}`, { body });
    await eve.send(`PATCH /${table}?${key}=not.is.null`, { body });
    const [row] = await read(ada, `/${table}`);
    for (const [column, value] of Object.entries(body)) assert.notEqual(row?.[column], value);
  }
});

test("1 functions and writes return 403 for a swarm of others and 404 for one that does not exist; reads return no rows", async () => {
  const swarm = await add(ada, "swarms", { name: "Closed" });
  const agent_id = await add(eve, "agents", { name: "Eve's" });
  const member = await add(ada, "swarm_members", { swarm_id: swarm, user_id: bob.id, role: "viewer" });
  const writes: Readonly<Record<string, (swarm_id: string) => Promise<Answer>>> = {
    "agent-respond": (swarm_id) =>
      eve.send("POST /functions/v1/agent-respond", { body: { swarm_id, message: "Let me in" } }),
    batch: (swarm_id) => {
      const operations = [{ method: "POST", path: "/messages", body: { swarm_id, content: "Let me in" } }];
      return eve.send("POST /functions/v1/batch", { body: { operations } });
    },
    messages: (swarm_id) => eve.send("POST /messages", { body: { swarm_id, content: "Let me in" } }),
    swarm_members: (swarm_id) => eve.send("POST /swarm_members", { body: { swarm_id, user_id: eve.id } }),
    swarm_agents: (swarm_id) => eve.send("POST /swarm_agents", { body: { swarm_id, agent_id } }),
  };
  for (const [name, write] of Object.entries(writes)) {
    const [foreign, missing] = [await write(swarm), await write(randomUUID())];
    const { status, code, message } = apiErrorOf(foreign);
    assert.deepEqual([status, code, message], [403, "FORBIDDEN", "You are not a member of this swarm"], name);
    assert.deepEqual([missing.status, missing.body["code"]], [404, "SWARM_NOT_FOUND"], name);
  }
  for (const id of [swarm, randomUUID()]) {
    assert.deepEqual(await read(eve, `/swarms?id=eq.${id}`), []);
    const single = await eve.send(`GET /swarms?id=eq.${id}`, { headers: SINGLE });
    assert.deepEqual([single.status, single.body["code"]], [406, "PGRST116"]);
  }
  // The error says why the caller may not write.
  const say = () => bob.send("POST /messages", { body: { swarm_id: swarm, content: "Hello" } });
  assert.match(apiErrorOf(await say()).message, /not yet a member/);
  await change(bob, "swarm_members", member, { status: "active" });
  assert.match(apiErrorOf(await say()).message, /^Viewers/);
});
