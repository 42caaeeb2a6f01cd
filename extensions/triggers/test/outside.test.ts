import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Parsed } from "../../../server/test/support/extended-service.ts";
import { until } from "../../../server/test/support/until.ts";
import { openStage, type Person, type Stage } from "./support/stage.ts";

const closers: (() => Promise<void>)[] = [];
let stage: Stage;
before(async () => {
  stage = await openStage(closers, { LIMIT_AI: "0" });
  await stage.sql.query(`
    create table public.refunds (order_id text);
    grant select, insert on public.refunds to authenticated;
    create function public.refund(order_id text) returns void language sql volatile
      as $$ insert into public.refunds values (order_id) $$;
    create function public.count_refunds() returns bigint language sql stable
      as $$ select count(*) from public.refunds $$;
    grant execute on function public.refund(text), public.count_refunds() to authenticated;`);
});
after(async () => {
  for (const close of closers) await close();
});

/** Gives the person's agent both functions as tools. */
async function giveTools(person: Person, agentId = person.agentId): Promise<void> {
  for (const [name, writes] of [
    ["refund", true],
    ["count_refunds", false],
  ] as const) {
    const config = { function: name, writes };
    const { id } = await person.insert("tools", { name, description: name, kind: "rpc", config });
    await person.insert("agent_tools", { agent_id: agentId, tool_id: id });
  }
}

async function toolCallsOf(person: Person, runId: string): Promise<Parsed> {
  return person.send("GET", `/rest/v1/tool_executions?run_id=eq.${runId}&order=created_at`);
}

async function isPending(person: Person, runId: string): Promise<boolean> {
  const calls = await toolCallsOf(person, runId);
  return calls.some(({ status }: Parsed) => status === "pending_approval");
}

const USE_BOTH = `Refund {{id}}:\n/tool count_refunds {}\n/tool refund {"order_id": "o1"}`;

describe("a tool that acts for the owner of a trigger", () => {
  test("needs an approval to write, in the run and in the conversation from then on, and none to read", async () => {
    const ada = await stage.newPerson();
    await giveTools(ada);
    const trigger = await ada.trigger("bearer", { message: USE_BOTH });
    const { call_id } = await trigger.fire({ id: "o1" });
    const { run_id, swarm_id } = await ada.call(call_id);
    await until(() => isPending(ada, run_id), "the call waits for an approval");
    const calls = await toolCallsOf(ada, run_id);
    assert.deepEqual(
      calls.map(({ tool_name, status }: Parsed) => [tool_name, status]),
      [
        ["count_refunds", "succeeded"],
        ["refund", "pending_approval"],
      ],
    );
    const decisions = [{ tool_execution_id: calls[1].id, approved: true }];
    await ada.send("POST", "/functions/v1/agent-respond", { action: "approve", run_id, decisions });
    await ada.callUntil(call_id, ({ status }) => status === "completed", "the run ends");
    // What the outside sender has said is still read there.
    const body = { swarm_id, message: '/tool refund {"order_id": "o2"}' };
    const asked = await ada.send("POST", "/functions/v1/agent-respond", body, 202);
    assert.equal(asked.status, "requires_action");
    const elsewhere = { agent_id: ada.agentId, message: '/tool refund {"order_id": "o3"}', conversation: "new" };
    const free = await ada.send("POST", "/functions/v1/agent-respond", elsewhere);
    assert.equal(free.status, "completed");
  });

  test("needs an approval in a sub-task of the run, too", async () => {
    const ada = await stage.newPerson();
    const { id: innerId } = await ada.insert("agents", { name: "Max" });
    await giveTools(ada, innerId);
    const team = await ada.insert("swarms", { name: "Team" });
    await ada.insert("swarm_agents", { swarm_id: team.id, agent_id: innerId });
    const row = { name: "team", description: "Refunds.", kind: "swarm", config: { swarm_id: team.id } };
    const { id: toolId } = await ada.insert("tools", row);
    await ada.insert("agent_tools", { agent_id: ada.agentId, tool_id: toolId });
    const message = `/tool team ${JSON.stringify({ message: '/tool refund {"order_id": "sub"}' })}`;
    const ask = async (triggerRow: object): Promise<Parsed> => {
      const trigger = await ada.trigger("bearer", { message, conversation: "new", ...triggerRow });
      const { call_id } = await trigger.fire();
      return ada.call(call_id);
    };
    const { run_id } = await ask({});
    const pending = `select 1 from private.sub_tasks s join public.tool_executions x on x.run_id = s.run_id
      where s.parent_run_id = $1 and x.tool_name = 'refund' and x.status = 'pending_approval'`;
    await until(async () => (await stage.sql.query(pending, [run_id])).rowCount === 1, "the sub-task waits");
    const { id } = await ask({ allowed_tools: ["refund"] });
    await ada.callUntil(id, ({ status }) => status === "completed", "the trigger names the tool");
    const { rows } = await stage.sql.query("select count(*)::int as count from public.refunds where order_id = 'sub'");
    assert.deepEqual(rows, [{ count: 1 }]);
  });

  test("needs none if the trigger names it, until the trigger does not or another one speaks there", async () => {
    const ada = await stage.newPerson();
    await giveTools(ada);
    const swarm = await ada.insert("swarms", { name: "Orders" });
    await ada.insert("swarm_agents", { swarm_id: swarm.id, agent_id: ada.agentId });
    const row = { swarm_id: swarm.id, message: USE_BOTH };
    const naming = await ada.trigger("bearer", { ...row, allowed_tools: ["refund"] });
    const first = await naming.fire({ id: 1 });
    await ada.callUntil(first.call_id, ({ status }) => status === "completed", "no approval is needed");
    const path = `/rest/v1/triggers?id=eq.${naming.id}`;
    await ada.send("PATCH", path, { allowed_tools: [] });
    const chat = { swarm_id: swarm.id, message: '/tool refund {"order_id": "o2"}' };
    const { status, run_id } = await ada.send("POST", "/functions/v1/agent-respond", chat, 202);
    assert.equal(status, "requires_action");
    await ada.send("POST", "/functions/v1/agent-respond", { action: "cancel", run_id });
    await ada.send("PATCH", path, { allowed_tools: ["refund"] });
    assert.equal((await ada.send("POST", "/functions/v1/agent-respond", chat)).status, "completed");
    const other = await ada.trigger("bearer", { ...row, message: "Look at {{id}}." });
    const second = await other.fire({ id: 2 });
    await ada.callUntil(second.call_id, (call) => call.status === "completed", "the run ends");
    const third = await naming.fire({ id: 3 });
    const { run_id: heard } = await ada.call(third.call_id);
    await until(() => isPending(ada, heard), "the other sender has been heard");
  });
});

describe("runs of triggers that call triggers", () => {
  test("end after a few, through webhooks, and show it", async () => {
    const ada = await stage.newPerson();
    const trigger = await ada.trigger("standard_webhooks", {
      conversation: "new",
      message: "Look at {{data.run_id}}.",
    });
    const webhook = await ada.insert("webhooks", {
      name: "loop",
      url: `${stage.url}/triggers/v1/${trigger.id}`,
      events: ["swarm.completed"],
    });
    const body = { action: "set_secret", trigger_id: trigger.id, secret: webhook.secret };
    await ada.send("POST", "/functions/v1/triggers", body);
    await trigger.fire(undefined, 202, { secret: webhook.secret });
    let calls: Parsed = [];
    await until(
      async () => {
        calls = await ada.callsOf(trigger.id);
        return calls.some(({ status }: Parsed) => status === "loop_detected");
      },
      "the loop is cut",
      () => JSON.stringify(calls),
    );
    assert.deepEqual(
      calls.map(({ depth }: Parsed) => depth),
      [0, 1, 2, 3, 4],
    );
    const last = calls.at(-1);
    assert.deepEqual([last.run_id, last.error.code], [null, "LOOP_DETECTED"]);
    await trigger.fire(undefined, 202, { secret: webhook.secret });
  });

  test("end after a few, through calls of tools", async () => {
    const ada = await stage.newPerson();
    await giveTools(ada);
    const trigger = await ada.trigger("bearer", { conversation: "new", message: "/tool count_refunds {}" });
    let headers: Record<string, string> = {};
    const depths: number[] = [];
    for (let calls = 0; calls < 5; calls += 1) {
      const { call_id } = await trigger.fire({}, 202, { headers });
      const row = await ada.callUntil(call_id, ({ finished_at }) => finished_at !== null, "the run ends");
      depths.push(row.depth);
      if (calls === 4) assert.equal(row.status, "loop_detected");
      // What a tool over HTTP sends with its call.
      else headers = { "idempotency-key": (await toolCallsOf(ada, row.run_id))[0].id };
    }
    assert.deepEqual(depths, [0, 1, 2, 3, 4]);
  });
});
