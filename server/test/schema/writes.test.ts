import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { openStage, rejects, type Row } from "./support/stage.ts";

/** More than a connection needs to settle on plans that hold for every parameter. */
const TIMES = 12;

const opened = openStage();

describe("a create without its required field", () => {
  const WITHOUT: readonly [string, string, Record<string, unknown>][] = [
    ["agents", "name", {}],
    ["webhooks", "name", { url: "https://example.com", events: ["message.created"] }],
    ["webhooks", "events", { name: "Hook", url: "https://example.com" }],
    ["swarms", "name", {}],
    ["tools", "description", { name: "search" }],
    ["agent_tools", "agent_id", { tool_id: randomUUID() }],
    ["swarm_agents", "agent_id", { swarm_id: randomUUID() }],
    ["swarm_members", "swarm_id", { invited_email: "a@example.com" }],
    ["messages", "swarm_id", { content: "Hello" }],
    ["message_flags", "message_id", {}],
  ];

  for (const [table, column, record] of WITHOUT) {
    it(`says so: ${table}.${column}`, async () => {
      const { stage } = opened;
      await rejects(stage.insert(await stage.newUser(), table, record), { code: "23502", column });
    });
  }
});

describe("the service", () => {
  for (const caller of ["service_role", "internal"] as const) {
    it(`writes every table again and again: ${caller}`, async () => {
      const { stage } = opened;
      const [owner, ...guests] = await Promise.all(Array.from({ length: TIMES + 1 }, () => stage.newUser()));
      const swarm_id = await stage.newSwarm(owner!);
      await stage.transaction(caller, async (query) => {
        const add = async (table: string, record: Record<string, unknown>): Promise<Row> => {
          const columns = Object.keys(record);
          const places = columns.map((_, place) => `$${place + 1}`).join(", ");
          const text = `insert into public.${table} (${columns.join(", ")}) values (${places}) returning *`;
          return (await query(text, Object.values(record)))[0]!;
        };
        for (const [place, guest] of guests.entries()) {
          const agent = await add("agents", { user_id: owner, name: "Ada" });
          const tool = await add("tools", { owner_id: owner, name: `t${place}`, description: "Tool" });
          const rows: Record<string, Row> = {
            agents: agent,
            tools: tool,
            webhooks: await add("webhooks", {
              user_id: owner,
              name: "Hook",
              url: "https://a.example",
              events: ["agent.error"],
            }),
            agent_tools: await add("agent_tools", { agent_id: agent.id, tool_id: tool.id }),
            swarm_agents: await add("swarm_agents", { swarm_id, agent_id: agent.id }),
            swarm_members: await add("swarm_members", { swarm_id, user_id: guest, role: "viewer" }),
            messages: await add("messages", {
              swarm_id,
              content: "Hi",
              sender_type: "agent",
              sender_agent_id: agent.id,
            }),
          };
          rows["message_flags"] = await add("message_flags", {
            message_id: rows["messages"]!.id,
            source: "moderation",
          });
          const changes = {
            agents: "status = 'thinking'",
            tools: "enabled = false",
            webhooks: "is_active = false",
            agent_tools: "enabled = false",
            swarm_agents: "position = 5, enabled = false",
            swarm_members: "role = 'member', status = 'active'",
            messages: "content = 'Edited'",
            message_flags: "status = 'upheld'",
          };
          for (const [table, change] of Object.entries(changes))
            assert.equal(
              (await query(`update public.${table} set ${change} where id = $1 returning id`, [rows[table]!.id]))
                .length,
              1,
            );
          for (const table of [
            "message_flags",
            "messages",
            "swarm_members",
            "swarm_agents",
            "agent_tools",
            "webhooks",
            "tools",
            "agents",
          ])
            await query(`delete from public.${table} where id = $1`, [rows[table]!.id]);
        }
      });
    });
  }
});

describe("runs", () => {
  it("end with a reason, one at a time in a swarm, and are written by the service alone", async () => {
    const { stage } = opened;
    const owner = await stage.newUser();
    const swarm_id = await stage.newSwarm(owner);
    const add = (record: Record<string, unknown>) =>
      stage.insert("internal", "public.runs", { swarm_id, user_id: owner, strategy: "mention", ...record });
    const { id: run_id } = await add({ status: "running" });
    await rejects(add({ status: "running" }), { code: "23505", constraint: "runs_one_live_per_swarm" });
    await add({ status: "requires_action" });
    await add({ status: "queued" });
    await rejects(add({ status: "completed" }), { code: "23514", constraint: "runs_ended_has_stop_reason" });
    await rejects(add({ status: "queued", stop_reason: "timeout" }), {
      code: "23514",
      constraint: "runs_ended_has_stop_reason",
    });
    await rejects(add({ status: "failed", stop_reason: "bored" }), {
      code: "23514",
      constraint: "runs_stop_reason_known",
    });
    await rejects(add({ status: "lost" }), { code: "23514" });
    await rejects(stage.insert(owner, "runs", { swarm_id, strategy: "mention" }), { code: "42501" });
    assert.equal((await stage.run(owner, "select id from runs")).length, 3);
    assert.deepEqual(await stage.run(await stage.newUser(), "select id from runs"), []);
    const said = { swarm_id, content: "Hi", sender_type: "system", run_id };
    const { id: message } = await stage.insert("service_role", "messages", said);
    await stage.remove("internal", "public.runs", run_id);
    assert.equal((await stage.find(owner, "messages", message))?.["run_id"], null);
  });
});
