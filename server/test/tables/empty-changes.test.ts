import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import type { Principal } from "../../src/db/index.ts";
import { openRestStage, SERVICE } from "../rest/features/rest-stage.ts";
import { openWorld, type Row } from "./support/swarms.ts";

const REPRESENTATION = { prefer: "return=representation" };
const SINGLE = { ...REPRESENTATION, accept: "application/vnd.pgrst.object+json" };
const HOOK = { name: "Hook", url: "https://hooks.example.com/x", events: ["agent.updated", "swarm.updated"] };

describe("an update that changes no column", () => {
  const opened = openRestStage(
    `create table public.wares (id uuid primary key default gen_random_uuid(), name text);
     grant all on public.wares to service_role;`,
  );

  const patch = (as: Principal, line: string, body: unknown, headers: Record<string, string> = {}) =>
    opened.stage.ask(`PATCH ${line}`, { as, body, headers });

  async function add(as: Principal, table: string, body: Row | Record<string, unknown>): Promise<Row> {
    const made = await opened.stage.ask(`POST /${table}`, { as, body, headers: SINGLE });
    assert.equal(made.status, 201, made.text);
    return made.json as Row;
  }

  it("returns the unchanged agent or webhook and emits no event", async () => {
    const user = await opened.stage.addUser();
    const hook = await add(user, "webhooks", HOOK);
    const agent = await add(user, "agents", { name: "Ada" });
    const events = async () => (await opened.stage.run("select * from private.events")).rows.length;
    const before = await events();
    for (const [table, row] of [
      ["agents", agent],
      ["webhooks", hook],
    ] as const) {
      const line = `/${table}?id=eq.${row.id}`;
      for (const as of [user, SERVICE]) {
        assert.deepEqual((await patch(as, line, {})).status, 204);
        assert.deepEqual((await patch(as, line, {}, REPRESENTATION)).json, [row]);
        assert.deepEqual((await patch(as, line, {}, SINGLE)).json, row);
      }
      const counted = await patch(user, `${line}&select=id`, {}, { prefer: "return=representation,count=exact" });
      assert.deepEqual([counted.json, counted.headers["content-range"]], [[{ id: row.id }], "0-0/1"]);
    }
    assert.equal(await events(), before);
    await patch(user, `/agents?id=eq.${agent.id}`, { name: "Bob" });
    assert.equal(await events(), before + 1, "a change is an event");
  });

  it("is an error for missing rows and rows of others", async () => {
    const [user, other] = [await opened.stage.addUser(), await opened.stage.addUser()];
    const [agent, hook] = [await add(other, "agents", { name: "Ada" }), await add(other, "webhooks", HOOK)];
    const responseTo = async (line: string, headers = {}) => {
      const { status, json } = await patch(user, line, {}, headers);
      return [status, (json as Record<string, unknown>)["code"]];
    };
    for (const headers of [{}, REPRESENTATION, SINGLE]) {
      assert.deepEqual(await responseTo(`/agents?id=eq.${agent.id}`, headers), [403, "PERMISSION_DENIED"]);
      assert.deepEqual(await responseTo(`/agents?id=eq.${randomUUID()}`, headers), [404, "AGENT_NOT_FOUND"]);
      assert.deepEqual(await responseTo(`/webhooks?id=eq.${hook.id}`, headers), [403, "FORBIDDEN"]);
      assert.deepEqual(await responseTo(`/webhooks?id=eq.${randomUUID()}`, headers), [404, "WEBHOOK_NOT_FOUND"]);
    }
  });

  it("returns no row for other tables, as in PostgREST", async () => {
    const world = await openWorld(opened.stage);
    const { owner } = world.people;
    const agent = await world.addAgent(owner);
    const ware = await add(SERVICE, "wares", { name: "one" });
    const cases: [Principal, string, unknown][] = [
      [owner, `/swarms?id=eq.${world.swarm}`, {}],
      [owner, `/swarm_members?id=eq.${await world.membershipOf(owner)}`, {}],
      [SERVICE, `/wares?id=eq.${ware.id}`, {}],
      [owner, `/agents?name=eq.Ada`, {}],
      [owner, `/agents?id=eq.${agent.id}&name=eq.Ada`, {}],
      [owner, `/agents?id=eq.${agent.id}`, []],
      [owner, `/agents?id=eq.${agent.id}`, [{ id: agent.id }]],
    ];
    for (const [as, line, body] of cases) {
      const minimal = await patch(as, line, body);
      assert.deepEqual([minimal.status, minimal.text], [204, ""], line);
      const shown = await patch(as, line, body, REPRESENTATION);
      assert.deepEqual([shown.status, shown.json], [200, []], line);
    }
    const single = await patch(owner, `/swarms?id=eq.${world.swarm}`, {}, SINGLE);
    assert.deepEqual([single.status, (single.json as Row)["code"]], [406, "PGRST116"]);
  });

  it("does not roll back a batch", async () => {
    const world = await openWorld(opened.stage);
    const { owner } = world.people;
    const agent = await world.addAgent(owner);
    const call = (path: string, search: string, body: unknown) => ({
      input: {
        method: "PATCH",
        path,
        search,
        headers: REPRESENTATION,
        body: Buffer.from(JSON.stringify(body)),
        contentType: "application/json",
      },
      path: `/rest/v1${path}`,
      principal: owner,
    });
    const { answers } = await opened.stage.rest.answerBatch([
      call("/agents", `id=eq.${agent.id}&select=id`, {}),
      call("/swarms", `id=eq.${world.swarm}`, {}),
      call("/agents", `id=eq.${agent.id}&select=name`, { name: "Bob" }),
    ]);
    assert.deepEqual(
      answers.map((answer) => ("body" in answer ? answer.body : answer.code)),
      [`[{"id":"${agent.id}"}]`, "[]", '[{"name":"Bob"}]'],
    );
  });
});
