import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { newPerson, type Person } from "./support/people.ts";
import { add, change, read } from "./support/rooms.ts";
import { type Service, startService } from "./support/service.ts";
import { UNHURRIED } from "./support/settings.ts";

let service: Service;
let ada: Person;
let bob: Person;
let eve: Person;
before(async () => {
  service = await startService(UNHURRIED);
  [ada, bob, eve] = await Promise.all([newPerson(service), newPerson(service), newPerson(service)]);
});
after(() => service?.stop());

test("1 everybody sees their own profile, settings, agents and tools, and what is said in swarms they are in", async () => {
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
  const seat = await add(ada, "swarm_members", { swarm_id, user_id: bob.id });
  await change(bob, "swarm_members", seat, { status: "active" });

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

test("1 nobody changes a profile or settings of somebody else", async () => {
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
