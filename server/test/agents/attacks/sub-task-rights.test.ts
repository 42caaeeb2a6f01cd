import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { ModelCall } from "../../../src/agents/providers/model-port.ts";
import { addAgent, decide } from "../support/acting-stage.ts";
import { hangs, openRunStage, type RunStage, succeeded } from "../support/run-stage.ts";
import {
  addSwarmTool,
  callsOf,
  delegates,
  listSubTasks,
  openOuter,
  type Outer,
  subTaskNode,
  subTasksOf,
  uses,
} from "../support/sub-task-stage.ts";
import { openToolsForTest } from "../../support/open-tools-for-test.ts";
import { until } from "../../support/until.ts";

let stage: RunStage;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  stage = await openRunStage({ after: (close) => void closers.push(close) });
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

interface Published extends Outer {
  readonly asker: { readonly swarmId: string; readonly ownerId: string };
  readonly grantId: string;
}

/** The outer agent of a publisher in the swarm of somebody who asks it by a grant. */
async function publish(terms: Readonly<Record<string, unknown>> = {}): Promise<Published> {
  const outer = await openOuter(stage);
  const asker = await stage.newSwarm({ agents: [] });
  const columns = { payer: "owner", approver: "owner", runs_per_day: null, cost_per_day: null, ...terms };
  const [grant] = await stage.rows<{ id: string }>(
    `insert into public.agent_grants (agent_id, audience, user_id, accepted_at, payer, approver, runs_per_day, cost_per_day)
     values ($1, 'user', $2, now(), $3, $4, $5, $6) returning id`,
    [outer.agentIds[0], asker.ownerId, ...Object.values(columns)],
  );
  const text = "insert into public.swarm_agents (swarm_id, agent_id) values ($1, $2)";
  await stage.rows(text, [asker.swarmId, outer.agentIds[0]]);
  return { ...outer, asker, grantId: grant?.id ?? "" };
}

/** An agent of an app, which everybody may ask, and whose tool `orders` acts for whoever does. */
async function newActingAgent({ isVouched = true, ownerId = "" } = {}): Promise<string> {
  const agentId = await stage.newAgent(ownerId === "" ? await stage.newUser() : ownerId, "App");
  const toolId = await stage.newTool(agentId, "orders", { kind: "rpc" });
  await stage.rows("update public.agents set acts_for_askers = $2 where id = $1", [agentId, isVouched]);
  await stage.rows("update public.tools set is_vouched = $2 where id = $1", [toolId, isVouched]);
  await stage.rows("update public.agent_tools set is_vouched = $2 where tool_id = $1", [toolId, isVouched]);
  return agentId;
}

/** A node whose tool `orders` opens the starter, and the results of that. */
function actingNode(t: Parameters<typeof openToolsForTest>[0]) {
  const { runAsking } = openToolsForTest(t);
  const opened: string[] = [];
  const node = subTaskNode(t, stage, {
    script: delegates(undefined, uses("orders")),
    tools: {
      async run(tool, input, context) {
        if (tool.name !== "orders") return await runAsking(tool, input, context);
        const starter = await context.starter?.open().catch((error: unknown) => error as Error);
        opened.push(starter instanceof Error ? starter.message : (starter?.principal.userId ?? "nobody"));
        return succeeded("ORDERS");
      },
    },
  });
  return { node, opened };
}

describe("an agent that acts for whoever asks, in a sub-task", () => {
  const ask = async (t: Parameters<typeof openToolsForTest>[0], isCallerVouched: boolean) => {
    const published = await publish();
    await stage.rows("update public.agents set acts_for_askers = $2 where id = $1", [
      published.agentIds[0],
      isCallerVouched,
    ]);
    await stage.rows("delete from public.swarm_agents where swarm_id = $1", [published.template.swarmId]);
    await addAgent(stage, published.template.swarmId, await newActingAgent());
    const acting = actingNode(t);
    acting.node.start();
    return { ...published, ...acting, runId: await stage.ask(published.asker) };
  };

  it("acts for the starter where the app vouches for the agent that asks it", async (t) => {
    const { runId, opened, asker } = await ask(t, true);
    assert.equal((await stage.end(runId)).status, "completed");
    assert.deepEqual(opened, [asker.ownerId]);
  });

  it("has each call approved by the starter where anybody else may have written the question", async (t) => {
    const { runId, opened, asker, ownerId } = await ask(t, false);
    await until(async () => (await listSubTasks(stage, runId))[0]?.status === "requires_action", "it waits");
    const [task] = await listSubTasks(stage, runId);
    const [call] = await stage.rows("select approver_id from public.tool_executions where run_id = $1", [task?.run_id]);
    assert.deepEqual([call, opened], [{ approver_id: asker.ownerId }, []]);
    await assert.rejects(decide(stage, task?.run_id ?? "", ownerId));
    await decide(stage, task?.run_id ?? "", asker.ownerId);
    await stage.end(runId);
    assert.deepEqual(opened, [asker.ownerId]);
  });

  it("that is the starter's own does not act for the starter on the word of another owner", async (t) => {
    const published = await publish();
    const own = await stage.newAgent(published.asker.ownerId, "Mine");
    await stage.newTool(own, "orders", { kind: "rpc" });
    await stage.rows("delete from public.swarm_agents where swarm_id = $1", [published.template.swarmId]);
    await stage.rows("insert into public.swarm_agents (swarm_id, agent_id) values ($1, $2)", [
      published.template.swarmId,
      own,
    ]);
    const { node, opened } = actingNode(t);
    node.start();
    const runId = await stage.ask(published.asker);
    await until(async () => (await listSubTasks(stage, runId))[0]?.status === "requires_action", "it waits");
    assert.deepEqual(opened, []);
    await decide(stage, (await listSubTasks(stage, runId))[0]?.run_id ?? "", published.asker.ownerId, false);
    assert.equal((await stage.end(runId)).status, "completed");
    assert.deepEqual(opened, []);
  });
});

describe("who answers in a sub-task", () => {
  it("is no agent that the starter may not ask, whoever has put it there", async (t) => {
    const published = await publish();
    const stranger = await stage.newAgent(await stage.newUser(), "Eve");
    await stage.rows("insert into public.swarm_agents (swarm_id, agent_id) values ($1, $2)", [
      published.template.swarmId,
      stranger,
    ]);
    subTaskNode(t, stage).start();
    const rejected = await stage.ask(published.asker);
    await stage.end(rejected);
    assert.match((await callsOf(stage, rejected))[0]?.error?.message ?? "", /may not answer the person who asks/);
    const text = "insert into public.agent_grants (agent_id, audience, payer) values ($1, 'everyone', 'asker')";
    await stage.rows(text, [stranger]);
    const answered = await stage.ask(published.asker);
    await stage.end(answered);
    const payers = await stage.rows(
      `select a.name, u.payer_id = $2 as is_asker from public.usage_records u join public.agents a on a.id = u.agent_id
       join private.sub_tasks t on t.run_id = u.run_id where t.parent_run_id = $1 order by a.name`,
      [answered, published.asker.ownerId],
    );
    assert.deepEqual(payers, [
      { name: "Eve", is_asker: true },
      { name: "Ida", is_asker: false },
    ]);
  });

  const ends: Record<string, (published: Published) => readonly [string, unknown]> = {
    "the grant is withdrawn": ({ grantId }) => ["delete from public.agent_grants where id = $1", grantId],
    "the starter is banned": ({ asker }) => [
      "update auth.users set banned_until = now() + interval '1 day' where id = $1",
      asker.ownerId,
    ],
    "the owner of the agents is banned": ({ ownerId }) => [
      "update auth.users set banned_until = now() + interval '1 day' where id = $1",
      ownerId,
    ],
    "the agent that has called the tool is deleted": ({ agentIds }) => [
      "delete from public.agents where id = $1",
      agentIds[0],
    ],
    "the agents of the sub-task are deleted": ({ template }) => [
      "delete from public.agents where id = $1",
      template.agentIds[0],
    ],
  };
  for (const [title, toEnd] of Object.entries(ends))
    it(`is nobody any more when ${title} while it works`, async (t) => {
      const published = await publish();
      let asked = 0;
      const script = delegates(undefined, async function* (call) {
        asked += 1;
        yield* hangs(call, "LEAKED");
      });
      subTaskNode(t, stage, { script }).start();
      const runId = await stage.ask(published.asker);
      const [task] = await subTasksOf(stage, runId);
      await until(async () => asked === 1, "it works");
      const [text, id] = toEnd(published);
      await stage.rows(text, [id]);
      await stage.end(task?.run_id ?? "");
      await stage.end(runId);
      assert.equal(asked, 1);
      assert.equal(
        (await stage.texts(runId)).some(({ content }) => content.includes("LEAKED")),
        false,
      );
    });
});

describe("the limits of a grant", () => {
  it("count the runs of whoever asks, and the cost of their sub-tasks", async (t) => {
    const published = await publish({ runs_per_day: 2, cost_per_day: 1 });
    subTaskNode(t, stage, { price: 1 }).start();
    const runId = await stage.ask(published.asker);
    await stage.rows("select private.charge_grant($1, $2)", [published.grantId, published.asker.ownerId]);
    await stage.end(runId);
    // Two model calls of the agent and one of the sub-task, each of 15 tokens at USD 1 for 1,000.
    const used = "select runs, cost_usd::float8 as cost from private.grant_usage where grant_id = $1";
    assert.deepEqual(await stage.rows(used, [published.grantId]), [{ runs: 1, cost: 0.045 }]);
    const [usage] = await stage.rows(
      `select count(*)::integer as rows, bool_and(payer_id = $2) as is_owner, bool_and(swarm_id = $3) as is_billed
       from public.usage_records where grant_id = $1`,
      [published.grantId, published.ownerId, published.asker.swarmId],
    );
    assert.deepEqual(usage, { rows: 2, is_owner: true, is_billed: true });
  });

  it("let no sub-task begin when the cost of the day is used up", async (t) => {
    const published = await publish({ cost_per_day: 1 });
    await stage.rows("select private.charge_grant($1, $2)", [published.grantId, published.asker.ownerId]);
    const spend = "update private.grant_usage set cost_usd = 1 where grant_id = $1";
    const answering = delegates();
    const asked: string[] = [];
    const script = async function* (call: ModelCall) {
      asked.push(call.agent.name);
      await stage.rows(spend, [published.grantId]);
      yield* answering(call);
    };
    subTaskNode(t, stage, { script }).start();
    const runId = await stage.ask(published.asker);
    await stage.end(runId);
    assert.deepEqual(asked, ["Otto"]);
    const [call] = await callsOf(stage, runId);
    assert.equal(call?.error?.code, "SUB_TASK_REJECTED");
    assert.match(call?.error?.message ?? "", /cost that the owner of the agent allows/);
    assert.deepEqual(await listSubTasks(stage, runId), []);
  });

  it("of answers in a minute apply to sub-tasks", async (t) => {
    const published = await publish();
    subTaskNode(t, stage, { charge: { tool: async () => true, answer: async () => false } }).start();
    const runId = await stage.ask(published.asker);
    await stage.end(runId);
    assert.equal((await callsOf(stage, runId))[0]?.error?.code, "RATE_LIMITED");
  });
});

describe("a sub-task", () => {
  it("is begun with the session and the key of its run, and not once the key is revoked", async (t) => {
    const outer = await openOuter(stage, { requiresApproval: true });
    const keyId = "00000000-0000-7000-8000-00000000000a";
    await stage.rows("insert into auth.sessions (id, user_id, api_key_hash) values ($1, $2, 'hash')", [
      keyId,
      outer.ownerId,
    ]);
    await stage.rows(
      "insert into public.api_keys (id, user_id, name, scopes, prefix) values ($1, $2, 'key', array['run'], 'sk_x')",
      [keyId, outer.ownerId],
    );
    subTaskNode(t, stage).start();
    const askByKey = async (): Promise<string> => {
      const runId = await stage.ask(outer);
      await stage.rows("update private.run_leases set api_key_id = $2 where run_id = $1", [runId, keyId]);
      await until(async () => (await stage.run(runId)).status === "requires_action", "the call waits");
      return runId;
    };
    const runId = await askByKey();
    await decide(stage, runId, outer.ownerId);
    await stage.end(runId);
    const [task] = await listSubTasks(stage, runId);
    const lease = "select api_key_id from private.run_leases where run_id = $1";
    assert.deepEqual(await stage.rows(lease, [task?.run_id]), [{ api_key_id: keyId }]);
    const later = await askByKey();
    await stage.rows("delete from auth.sessions where id = $1", [keyId]);
    await decide(stage, later, outer.ownerId);
    await stage.end(later);
    assert.deepEqual(await listSubTasks(stage, later), []);
  });

  it("does not begin for an account that is gone", async () => {
    const outer = await openOuter(stage);
    const runId = await stage.ask(outer);
    await stage.rows("update public.runs set user_id = null where id = $1", [runId]);
    const find = `select private.find_sub_task_fault(r, $2, s.owner_id, s) as fault
      from public.runs r, public.swarms s where r.id = $1 and s.id = $3`;
    const [found] = await stage.rows<{ fault: string }>(find, [runId, outer.agentIds[0], outer.template.swarmId]);
    assert.match(found?.fault ?? "", /may not start runs any more/);
  });

  it("takes no member and no agent, not even from the service role", async (t) => {
    const outer = await openOuter(stage);
    subTaskNode(t, stage).start();
    const runId = await stage.ask(outer);
    await stage.end(runId);
    const [task] = await listSubTasks(stage, runId);
    const member =
      "insert into public.swarm_members (swarm_id, user_id, role, status) values ($1, $2, 'member', 'active')";
    await assert.rejects(stage.rows(member, [task?.swarm_id, await stage.newUser()]), /takes no further member/);
    const agent = "insert into public.swarm_agents (swarm_id, agent_id) values ($1, $2)";
    await assert.rejects(stage.rows(agent, [task?.swarm_id, outer.agentIds[0]]), /takes no further member/);
  });

  it("ends with the conversation that it belongs to, and leaves its usage", async (t) => {
    const outer = await openOuter(stage);
    await addSwarmTool(
      stage,
      outer.template.agentIds[0] ?? "",
      (await stage.newSwarm({ agents: ["Ben"], ownerId: outer.ownerId })).swarmId,
      { name: "deeper" },
    );
    const script = delegates(undefined, (call) =>
      call.tools.length > 0 ? uses("deeper", { message: "go" })(call) : hangs(call, "I work"),
    );
    subTaskNode(t, stage, { script }).start();
    const runId = await stage.ask(outer);
    const [task] = await subTasksOf(stage, runId);
    const [deep] = await subTasksOf(stage, task?.run_id ?? "");
    const reserved = "select 1 from private.budget_reservations where run_id = $1";
    await until(async () => (await stage.rows(reserved, [deep?.run_id])).length > 0, "it works");
    await stage.rows("delete from public.swarms where id = $1", [outer.swarmId]);
    const left = "select 1 from public.swarms where id = any($1)";
    assert.deepEqual(await stage.rows(left, [[task?.swarm_id, deep?.swarm_id]]), []);
    const usage = await stage.rows<{ run_id: string }>("select run_id from public.usage_records where swarm_id = $1", [
      outer.swarmId,
    ]);
    assert.ok(usage.some(({ run_id: id }) => id === deep?.run_id));
  });

  it("is a private tool of its owner", async () => {
    const { toolId } = await openOuter(stage);
    for (const change of ["visibility = 'shared'", "owner_id = null, visibility = 'public'"])
      await assert.rejects(stage.rows(`update public.tools set ${change} where id = $1`, [toolId]), change);
  });
});
