import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { assertEvents, openSwarmFixture } from "./support/swarm-fixture.ts";
import { FORBIDDEN, openStage, rejects, violates } from "./support/stage.ts";

const MANY = 1000;

describe("events are written", () => {
  const opened = openStage();

  it("only where somebody who may know listens to that type on an active webhook", async () => {
    const { stage } = opened;
    const [owner, member, outsider] = [await stage.newUser(), await stage.newUser(), await stage.newUser()];
    const swarm_id = await stage.newSwarm(owner, { [member]: "viewer" });
    const say = () => stage.insert(owner, "messages", { swarm_id, content: "Hi" });
    const count = async () => (await stage.takeEvents()).length;
    await stage.listen(outsider);
    const other = await stage.listen(member, ["message.updated", "agent.created"]);
    await say();
    await stage.newAgent(owner);
    assert.equal(await count(), 0);
    const hook = await stage.listen(member, ["message.created"]);
    await stage.listen(owner, ["message.created"]);
    await say();
    assert.equal(await count(), 1, "one row, whatever the number of webhooks");
    await stage.run(owner, "update webhooks set is_active = false");
    await say();
    assert.equal(await count(), 1);
    await stage.update(member, "webhooks", hook, { is_active: false });
    await say();
    assert.equal(await count(), 0);
    await stage.remove(member, "webhooks", other);
  });

  it("in the transaction that makes them true", async () => {
    const fixture = await openSwarmFixture(opened.stage);
    const { stage, owner, swarm } = fixture;
    const work = stage.transaction(owner, async (query) => {
      await query("insert into messages (swarm_id, content) values ($1, 'a')", [swarm]);
      await query("insert into agents (name) values ('a')");
      await query("delete from swarms where id = $1", [swarm]);
      throw new Error("taken back");
    });
    await assert.rejects(work, /taken back/);
    assert.deepEqual(await stage.takeEvents(), []);
  });

  it("one by one when a statement changes a thousand rows", async () => {
    const { stage, owner, swarm } = await openSwarmFixture(opened.stage);
    const typesOf = async () => {
      const events = await stage.takeEvents();
      const counts = Map.groupBy(events, ({ type }) => type);
      const ids = new Set(events.map(({ type, data }) => `${type} ${String(data["agent_id"] ?? data["message_id"])}`));
      assert.equal(ids.size, events.length, "no row twice");
      return Object.fromEntries([...counts].map(([type, { length }]) => [type, length]));
    };
    await stage.database.owner.query("update private.settings set value = '0' where name = 'agent_limit_per_user'");
    await stage.run(owner, "insert into agents (name) select 'bulk' from generate_series(1, $1)", [MANY]);
    assert.deepEqual(await typesOf(), { "agent.created": MANY });
    await stage.run(owner, "update agents set name = 'again', status = 'error' where name = 'bulk'");
    assert.deepEqual(await typesOf(), { "agent.updated": MANY, "agent.status_changed": MANY });
    await stage.run(owner, "delete from agents where name = 'again'");
    assert.deepEqual(await typesOf(), { "agent.deleted": MANY });
    await stage.run(owner, "insert into messages (swarm_id, content) select $1, 'bulk' from generate_series(1, $2)", [
      swarm,
      MANY,
    ]);
    assert.deepEqual(await typesOf(), { "message.created": MANY });
    await stage.run(owner, "update messages set content = 'again' where content = 'bulk'");
    assert.deepEqual(await typesOf(), { "message.updated": MANY });
    await stage.run(owner, "delete from messages where content = 'again'");
    assert.deepEqual(await typesOf(), { "message.deleted": MANY });
  });

  it("with the trace context of the transaction, if it is a valid one", async () => {
    const { stage, owner, swarm } = await openSwarmFixture(opened.stage);
    await stage.takeEvents();
    const storedFor = async (header: string | null): Promise<unknown> => {
      await stage.transaction(owner, async (query) => {
        if (header !== null) await query("select set_config('swarmbase.traceparent', $1, true)", [header]);
        await query("insert into messages (swarm_id, content) values ($1, 'a')", [swarm]);
      });
      const events = await stage.run("internal", "delete from private.events returning traceparent");
      return events.map(({ traceparent }) => traceparent);
    };
    const valid = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    assert.deepEqual(await storedFor(valid), [valid]);
    for (const header of [null, "", "text", `${valid}\n`, `${valid}-text`, valid.toUpperCase()])
      assert.deepEqual(await storedFor(header), [null]);
    const insert = "insert into private.events (type, data, audience, traceparent) values ('a', '{}', '{}', 'text')";
    await rejects(stage.run("internal", insert), violates("events_traceparent_valid"));
  });

  it("with what the service says about the change, never with what a user says", async () => {
    const { stage, owner, agent, swarm } = await openSwarmFixture(opened.stage);
    const run_id = randomUUID();
    const actor = { type: "agent", id: agent };
    const context = JSON.stringify({ reason: "run_started", run_id, swarm_id: swarm, actor });
    const change = (caller: string) =>
      stage.transaction(caller, async (query) => {
        await query("select set_config('swarmbase.context', $1, true)", [context]);
        await query(
          "update public.agents set status = case status when 'idle' then 'thinking' else 'idle' end, name = name || '!' where id = $1",
          [agent],
        );
      });
    await change("internal");
    const statusContext = { reason: "run_started", run_id, swarm_id: swarm };
    assertEvents(await stage.takeEvents(), [
      { type: "agent.updated", to: [owner], data: { actor } },
      { type: "agent.status_changed", to: [owner], data: statusContext },
    ]);
    await change(owner);
    assertEvents(await stage.takeEvents(), [
      { type: "agent.updated", to: [owner], data: { actor: { type: "user", id: owner } } },
      { type: "agent.status_changed", to: [owner], data: { reason: "manual", run_id: null, swarm_id: null } },
    ]);
    // Claims without a role must not open the way either.
    await stage.transaction(
      owner,
      async (query) => {
        await query("select set_config('swarmbase.context', $1, true)", [context]);
        await query("update agents set name = 'other' where id = $1", [agent]);
      },
      { claims: { sub: owner } },
    );
    assertEvents(await stage.takeEvents(), [
      { type: "agent.updated", to: [owner], data: { actor: { type: "user", id: owner } } },
    ]);
  });

  it("by functions through one door", async () => {
    const { stage, owner, outsider } = await openSwarmFixture(opened.stage);
    const emit = async (caller: string, type: string, audience: readonly string[]) =>
      (await stage.run(caller, "select private.emit_event($1, $2, $3) as id", [type, { b: 1, a: 2 }, audience]))[0]?.id;
    assert.equal(await emit("internal", "tool.executed", []), null);
    assert.equal(await emit("internal", "tool.executed", [randomUUID()]), null);
    assert.deepEqual(await stage.takeEvents(), []);
    const id = await emit("internal", "tool.executed", [owner, outsider]);
    const [event] = await stage.run("internal", "select id, type, data::text, audience from private.events");
    assert.deepEqual(event, { id, type: "tool.executed", data: '{"b":1,"a":2}', audience: [owner, outsider] });
    for (const caller of [owner, "anon", "service_role"])
      await rejects(emit(caller, "tool.executed", [owner]), FORBIDDEN);
  });

  it("where no caller of the interface can read or forge them", async () => {
    const { stage, owner } = await openSwarmFixture(opened.stage);
    for (const caller of [owner, "anon", "service_role"]) {
      await rejects(stage.run(caller, "select * from private.events"), FORBIDDEN);
      await rejects(
        stage.run(caller, "insert into private.events (type, data, audience) values ('a', '{}', '{}')"),
        FORBIDDEN,
      );
    }
  });
});
