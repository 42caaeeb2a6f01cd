import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  cancelRun,
  decideToolExecutions,
  selectRunBody,
  signalRun,
  submitToolResults,
} from "../../../src/agents/respond/sql/run-control.ts";
import { isAtWork } from "../../../src/agents/streams/run-body.ts";
import {
  addSwarmTool,
  askedOf,
  callsOf,
  delegates,
  listSubTasks,
  openOuter,
  type Outer,
  type SubTask,
  subTaskNode,
  subTasksOf,
  uses,
} from "../support/sub-task-stage.ts";
import { addAgent, addMember } from "../support/acting-stage.ts";
import { calls, hangs, lastRole, type NewSwarm, openRunStage, type RunStage, says } from "../support/run-stage.ts";
import { until } from "../../support/until.ts";

let stage: RunStage;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  stage = await openRunStage({ after: (close) => void closers.push(close) });
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

const person = (userId: string) => ({ role: "authenticated", userId }) as const;
const textsOf = async (runId: string): Promise<string[]> => (await stage.texts(runId)).map(({ content }) => content);

async function bodyOf(runId: string, { ownerId }: Pick<NewSwarm, "ownerId">) {
  const body = await selectRunBody(stage.pool, runId, person(ownerId));
  assert.ok(body !== null);
  return body;
}

/** Asks the outer agent and waits until its sub-task has a status. */
async function askUntil(outer: Outer, status: string): Promise<{ runId: string; task: SubTask }> {
  const runId = await stage.ask(outer);
  await until(async () => (await listSubTasks(stage, runId)).some((task) => task.status === status), `it is ${status}`);
  const [task] = await listSubTasks(stage, runId);
  assert.ok(task !== undefined);
  return { runId, task };
}

describe("a sub-task", () => {
  it("is a run in a conversation of its own, whose last answer is the result of the call", async (t) => {
    const outer = await openOuter(stage, { agents: ["Ida", "Iris"] });
    const text =
      "insert into public.messages (swarm_id, sender_type, sender_user_id, content) values ($1, 'user', $2, $3)";
    await stage.rows(text, [outer.template.swarmId, outer.ownerId, "EARLIER"]);
    const seen: string[] = [];
    const script = delegates(["the weather"], (call) =>
      says(call, `${seen.push(JSON.stringify(call.messages))} rains`),
    );
    subTaskNode(t, stage, { script }).start();
    const runId = await stage.ask(outer);
    assert.equal((await stage.end(runId)).status, "completed");
    assert.deepEqual(await textsOf(runId), ["2 rains"]);
    const [task] = await subTasksOf(stage, runId);
    const [call] = await callsOf(stage, runId);
    assert.deepEqual([call?.status, call?.output], ["succeeded", "2 rains"]);
    const [swarm] = await stage.rows("select owner_id, parent_run_id from public.swarms where id = $1", [
      task?.swarm_id,
    ]);
    assert.deepEqual(swarm, { owner_id: outer.ownerId, parent_run_id: runId });
    assert.equal(
      seen.some((messages) => messages.includes("EARLIER")),
      false,
    );
    assert.deepEqual(await stage.rows("select 1 from public.swarm_members where swarm_id = $1", [task?.swarm_id]), []);
  });

  it("runs beside the others of its step, and the run continues when all have ended", async (t) => {
    const outer = await openOuter(stage);
    let open = 0;
    const script = delegates(["a", "b", "c"], async function* (call) {
      open += 1;
      await until(async () => open === 3, "all three work at the same time");
      yield* says(call, `did ${askedOf(call)}`);
    });
    subTaskNode(t, stage, { script }).start();
    const runId = await stage.ask(outer);
    await stage.end(runId);
    assert.deepEqual(await textsOf(runId), ["did a | did b | did c"]);
  });

  it("that begins after an approval of its call begins once", async (t) => {
    const outer = await openOuter(stage, { requiresApproval: true });
    subTaskNode(t, stage).start();
    const runId = await stage.ask(outer);
    await until(async () => (await stage.run(runId)).status === "requires_action", "the call waits");
    assert.deepEqual(await listSubTasks(stage, runId), []);
    const [call] = await callsOf(stage, runId);
    await decideToolExecutions(stage.pool, runId, person(outer.ownerId), [
      { tool_execution_id: call?.id ?? "", approved: true },
    ]);
    await stage.end(runId);
    assert.deepEqual(await textsOf(runId), ["did look it up"]);
    assert.equal((await listSubTasks(stage, runId)).length, 1);
  });

  it("that fails is an error of the call, and the agent goes on", async (t) => {
    const outer = await openOuter(stage);
    const script = delegates(undefined, (call) => {
      throw new Error(`the model of ${call.framework} is broken`);
    });
    subTaskNode(t, stage, { script }).start();
    const runId = await stage.ask(outer);
    assert.equal((await stage.end(runId)).status, "completed");
    const [call] = await callsOf(stage, runId);
    assert.deepEqual([call?.status, call?.error?.code], ["failed", "SUB_TASK_FAILED"]);
    assert.match((await textsOf(runId))[0] ?? "", /SUB_TASK_FAILED/);
  });

  it("has the guardrails of the swarm that the tool names", async (t) => {
    const outer = await openOuter(stage);
    await stage.rows(
      `insert into public.guardrails (swarm_id, name, kind, stage, action, config)
       values ($1, 'no secrets', 'pattern', 'output', 'block', '{"pattern": "hush"}')`,
      [outer.template.swarmId],
    );
    subTaskNode(t, stage, { script: delegates(["say hush"]) }).start();
    const runId = await stage.ask(outer);
    await stage.end(runId);
    assert.match((await callsOf(stage, runId))[0]?.error?.message ?? "", /content_filtered/);
  });

  it("is rejected where it could not end: in itself, and too deep", async (t) => {
    const outer = await openOuter(stage);
    const [ida = ""] = outer.template.agentIds;
    await addSwarmTool(stage, ida, outer.template.swarmId, { name: "again" });
    await addSwarmTool(stage, ida, outer.swarmId, { name: "around" });
    const deep = async (agentId: string): Promise<string> => {
      const below = await stage.newSwarm({ agents: ["Deep"], ownerId: outer.ownerId });
      await addSwarmTool(stage, agentId, below.swarmId, { name: `deeper_${below.swarmId.slice(-8)}` });
      return below.agentIds[0] ?? "";
    };
    const third = await deep(await deep(ida));
    await deep(third);
    const script = delegates(undefined, async function* (call) {
      const names = call.tools.map(({ name }) => name);
      if (names.length === 0 || lastRole(call) === "tool")
        yield* says(call, call.messages.flatMap((message) => (message.role === "tool" ? [message.output] : [])).join());
      else yield* calls(call, ...names.map((name) => ({ name, input: { message: "go" } })));
    });
    subTaskNode(t, stage, { script }).start();
    const runId = await stage.ask(outer);
    await stage.end(runId);
    const rejected = await stage.rows<{ tool_name: string; message: string; depth: number }>(
      `select x.tool_name, x.error ->> 'message' as message, t.depth from public.tool_executions x
       join private.sub_tasks t on t.run_id = x.run_id
       where t.root_swarm_id = $1 and x.error is not null order by t.depth, x.tool_name`,
      [outer.swarmId],
    );
    assert.deepEqual(
      rejected.map(({ tool_name: name, depth }) => `${name.replace(/_.*/, "")} at ${depth}`),
      ["again at 1", "around at 1", "deeper at 3"],
    );
    assert.match(rejected[0]?.message ?? "", /cannot be a sub-task of itself/);
    assert.match(rejected[2]?.message ?? "", /depth of three/);
  });

  it("is rejected without a swarm, with one that is not active, and in a full account", async (t) => {
    const paused = await openOuter(stage);
    await stage.rows("update public.swarms set status = 'paused' where id = $1", [paused.template.swarmId]);
    const deleted = await openOuter(stage);
    await stage.rows("delete from public.swarms where id = $1", [deleted.template.swarmId]);
    const empty = await openOuter(stage);
    await stage.rows("delete from public.agents where id = any($1)", [empty.template.agentIds]);
    const messages: string[] = [];
    subTaskNode(t, stage).start();
    for (const outer of [paused, deleted, empty]) {
      const runId = await stage.ask(outer);
      assert.equal((await stage.end(runId)).status, "completed");
      const [call] = await callsOf(stage, runId);
      assert.deepEqual([call?.status, call?.error?.code], ["denied", "SUB_TASK_REJECTED"]);
      messages.push(call?.error?.message ?? "");
      assert.deepEqual(await listSubTasks(stage, runId), []);
    }
    assert.deepEqual(messages, [
      "The swarm of the tool is not active.",
      "The tool names no swarm of its owner.",
      "The sub-task was rejected: NO_AGENTS.",
    ]);
    const left = await stage.rows(
      "select 1 from public.swarms where parent_run_id is not null and owner_id = any($1)",
      [[paused.ownerId, deleted.ownerId, empty.ownerId]],
    );
    assert.deepEqual(left, []);
  });
});

describe("a sub-task that waits", () => {
  it("for an approval suspends the run, which shows the call and takes the decision", async (t) => {
    const outer = await openOuter(stage);
    await stage.newTool(outer.template.agentIds[0] ?? "", "refund", { requiresApproval: true });
    subTaskNode(t, stage, { script: delegates(undefined, uses("refund")) }).start();
    const { runId, task } = await askUntil(outer, "requires_action");
    const body = await bodyOf(runId, outer);
    assert.equal(body.status, "waiting");
    assert.equal(isAtWork(body), false);
    assert.deepEqual(
      body.pending_waits?.map((wait) => ({ ...wait, tool_execution_id: "", agent_id: "" })),
      [
        {
          tool_execution_id: "",
          agent_id: "",
          tool_name: "research",
          kind: "sub_task",
          until: null,
          is_at_work: false,
        },
      ],
    );
    await until(
      async () => (await stage.rows("select 1 from private.sub_tasks where not is_announced")).length === 0,
      "told",
    );
    const [pending] = (body.pending_approvals ?? []) as { tool_execution_id: string; tool_name: string }[];
    assert.equal(pending?.tool_name, "refund");
    await decideToolExecutions(stage.pool, runId, person(outer.ownerId), [
      { tool_execution_id: pending?.tool_execution_id ?? "", approved: true },
    ]);
    await stage.end(runId);
    assert.deepEqual(await textsOf(runId), ["refund"]);
    const told = await stage.rows("select 1 from public.run_events where run_id = $1 and type = 'tool.waiting'", [
      runId,
    ]);
    assert.equal(told.length, 1, "readers of the run were told that it waits");
    assert.equal((await stage.run(task.run_id)).status, "completed");
  });

  it("for the owner of its agents tells their webhooks of the run, which takes the decision", async (t) => {
    const outer = await openOuter(stage);
    const asker = await stage.newSwarm({ agents: [] });
    await addAgent(stage, asker.swarmId, outer.agentIds[0] ?? "");
    await stage.newTool(outer.template.agentIds[0] ?? "", "refund", { requiresApproval: true });
    await stage.rows(
      "insert into public.webhooks (user_id, name, url, events) values ($1, 'runs', 'https://example.test/', $2)",
      [outer.ownerId, ["run.updated"]],
    );
    subTaskNode(t, stage, { script: delegates(undefined, uses("refund")) }).start();
    const { runId } = await askUntil({ ...outer, ...asker }, "requires_action");
    const told = await stage.rows<{ data: unknown }>(
      "select data from private.events where audience @> array[$1::uuid]",
      [outer.ownerId],
    );
    const [run] = await stage.rows<{ data: unknown }>(
      "select private.build_run_update(r) as data from public.runs r where id = $1 and status = 'waiting'",
      [runId],
    );
    assert.deepEqual(told, [run]);
    const [pending] = await stage.rows<{ id: string }>(
      "select p.id from private.list_pending_executions($1) as p (id)",
      [outer.ownerId],
    );
    const decisions = [{ tool_execution_id: pending?.id ?? "", approved: true }];
    await assert.rejects(decideToolExecutions(stage.pool, runId, person(await stage.newUser()), decisions), {
      code: "RUN_NOT_FOUND",
    });
    const body = await decideToolExecutions(stage.pool, runId, person(outer.ownerId), decisions);
    assert.deepEqual([body.run_id, body.message, body.pending_approvals], [runId, null, []]);
    await stage.end(runId);
    assert.deepEqual(await textsOf(runId), ["refund"]);
  });

  it("for the app gets its result through the run", async (t) => {
    const outer = await openOuter(stage);
    await stage.newTool(outer.template.agentIds[0] ?? "", "locate", { kind: "client" });
    subTaskNode(t, stage, { script: delegates(undefined, uses("locate")) }).start();
    const { runId } = await askUntil(outer, "requires_action");
    const [pending] = ((await bodyOf(runId, outer)).pending_client_calls ?? []) as { tool_execution_id: string }[];
    await submitToolResults(stage.pool, runId, person(outer.ownerId), [
      { tool_execution_id: pending?.tool_execution_id ?? "", output: "at home" },
    ]);
    await stage.end(runId);
    assert.deepEqual(await textsOf(runId), ["at home"]);
  });

  /** The agent of the sub-task can wait for events. */
  async function openListener(): Promise<Outer> {
    const outer = await openOuter(stage);
    const assign = `insert into public.agent_tools (agent_id, tool_id)
      select $1, id from public.tools where name = 'wait_for_event' and owner_id is null`;
    await stage.rows(assign, [outer.template.agentIds[0]]);
    return outer;
  }
  const signalReady = (runId: string, { ownerId }: Outer) =>
    signalRun(stage.pool, runId, person(ownerId), { name: "ready", data: { n: 7 }, key: null });

  it("for an event gets the signals of the run, also those that came before", async (t) => {
    const outer = await openListener();
    const script = delegates(undefined, uses("wait_for_event", { name: "ready", seconds: 3_600 }));
    subTaskNode(t, stage, { script }).start();
    const late = await askUntil(outer, "waiting");
    await signalReady(late.runId, outer);
    await stage.end(late.runId);
    assert.match((await textsOf(late.runId))[0] ?? "", /"n":7/);
    const early = await stage.ask(outer);
    await signalReady(early, outer);
    await stage.end(early);
    assert.match((await textsOf(early))[0] ?? "", /"n":7/);
  });

  it("for an event misses no signal that is sent while it begins to wait", async (t) => {
    const outer = await openListener();
    const working = Promise.withResolvers<void>();
    const free = Promise.withResolvers<void>();
    const waits = uses("wait_for_event", { name: "ready", seconds: 3_600 });
    const script = delegates(undefined, async function* (call) {
      working.resolve();
      await free.promise;
      yield* waits(call);
    });
    subTaskNode(t, stage, { script }).start();
    const runId = await stage.ask(outer);
    await working.promise;
    const [task] = await listSubTasks(stage, runId);
    // Keeps the transaction open in which it begins to wait, after it has looked for signals.
    const other = await stage.connect();
    await other.query("begin");
    await other.query("select 1 from private.run_leases where run_id = $1 for update", [task?.run_id]);
    free.resolve();
    const untilHeld = async (count: number): Promise<void> => {
      const text =
        "select 1 from pg_stat_activity where datname = current_database() and pg_blocking_pids(pid) <> '{}'";
      await until(async () => (await stage.rows(text)).length >= count, `${count} transactions are held`);
    };
    await untilHeld(1);
    const sent = signalReady(runId, outer);
    await Promise.race([sent, untilHeld(2)]);
    await other.query("rollback");
    await sent;
    assert.equal((await stage.end(runId)).status, "completed");
    assert.match((await textsOf(runId))[0] ?? "", /"n":7/);
  });

  it("at work keeps those who wait for the answer of the run waiting", async (t) => {
    const outer = await openOuter(stage);
    const free = Promise.withResolvers<void>();
    const script = delegates(undefined, async function* (call) {
      await free.promise;
      yield* says(call, "done");
    });
    subTaskNode(t, stage, { script }).start();
    const { runId } = await askUntil(outer, "running");
    const body = await bodyOf(runId, outer);
    assert.deepEqual([body.status, isAtWork(body)], ["waiting", true]);
    assert.deepEqual(
      await stage.rows("select 1 from public.run_events where run_id = $1 and type = 'tool.waiting'", [runId]),
      [],
    );
    free.resolve();
    await stage.end(runId);
  });
});

describe("cancelling a run", () => {
  it("cancels its sub-tasks at any depth, whether they work or wait", async (t) => {
    const outer = await openOuter(stage);
    const [ida = ""] = outer.template.agentIds;
    const below = await stage.newSwarm({ agents: ["Ben"], ownerId: outer.ownerId });
    await addSwarmTool(stage, ida, below.swarmId, { name: "deeper" });
    const script = delegates(["work", "delegate"], (call) =>
      call.tools.length > 0 && askedOf(call) === "delegate"
        ? calls(call, { name: "deeper", input: { message: "work" } })
        : hangs(call, "I work"),
    );
    subTaskNode(t, stage, { script }).start();
    const runId = await stage.ask(outer);
    const runsBelow = (): Promise<{ status: string }[]> =>
      stage.rows(
        "select r.status from private.list_sub_runs($1) as below join public.runs r on r.id = below order by 1",
        [runId],
      );
    await until(
      async () => (await runsBelow()).map(({ status }) => status).join() === "running,running,waiting",
      "all have begun",
    );
    await cancelRun(stage.pool, runId, person(outer.ownerId));
    assert.equal((await stage.end(runId)).status, "cancelled");
    await until(async () => (await runsBelow()).every(({ status }) => status === "cancelled"), "all are cancelled");
    assert.deepEqual(await textsOf(runId), []);
  });
});

describe("a sub-task whose node dies", () => {
  /** Other nodes find the run of a lost one. */
  const expire = (runId: string): Promise<unknown> =>
    stage.rows("update private.run_leases set expires_at = now() - interval '1 second' where run_id = $1", [runId]);

  it("before the run waits begins once", async (t) => {
    const outer = await openOuter(stage);
    const runId = await stage.ask(outer);
    const dying = Promise.withResolvers<void>();
    const dead = subTaskNode(t, stage, {
      tools: {
        run: () => {
          dying.resolve();
          return new Promise(() => {});
        },
      },
    });
    await dead.take(runId);
    await dying.promise;
    assert.deepEqual(await listSubTasks(stage, runId), []);
    await expire(runId);
    subTaskNode(t, stage).start();
    assert.equal((await stage.end(runId)).status, "completed");
    assert.deepEqual(await textsOf(runId), ["did look it up"]);
    assert.equal((await listSubTasks(stage, runId)).length, 1);
  });

  it("while it works is continued by another node", async (t) => {
    const outer = await openOuter(stage);
    const dead = subTaskNode(t, stage, { script: delegates(undefined, (call) => hangs(call, "half an ans")) });
    const runId = await stage.ask(outer);
    await dead.take(runId);
    const [task] = await subTasksOf(stage, runId);
    await dead.take(task?.run_id ?? "");
    await until(async () => (await stage.run(task?.run_id ?? "")).status === "running", "it works");
    await expire(task?.run_id ?? "");
    subTaskNode(t, stage).start();
    assert.equal((await stage.end(runId)).status, "completed");
    assert.deepEqual(await textsOf(runId), ["did look it up"]);
    assert.equal((await listSubTasks(stage, runId)).length, 1);
  });

  it("when it has ended and the run is locked at that moment lets the run continue later", async (t) => {
    const outer = await openOuter(stage);
    const free = Promise.withResolvers<void>();
    const script = delegates(undefined, async function* (call) {
      await free.promise;
      yield* says(call, "done");
    });
    subTaskNode(t, stage, { script }).start();
    const { runId, task } = await askUntil(outer, "running");
    const other = await stage.connect();
    await other.query("begin");
    await other.query("select 1 from public.runs where id = $1 for update", [runId]);
    free.resolve();
    await stage.end(task.run_id);
    assert.equal((await callsOf(stage, runId))[0]?.status, "waiting");
    await other.query("rollback");
    await stage.end(runId);
    assert.deepEqual(await textsOf(runId), ["done"]);
  });
});

describe("a sub-task that is deleted", () => {
  it("with its conversation is an error of the call", async (t) => {
    const outer = await openOuter(stage);
    subTaskNode(t, stage, { script: delegates(undefined, (call) => hangs(call, "I work")) }).start();
    const { runId, task } = await askUntil(outer, "running");
    await stage.rows("delete from public.swarms where id = $1", [task.swarm_id]);
    assert.equal((await stage.end(runId)).status, "completed");
    const [call] = await callsOf(stage, runId);
    assert.deepEqual([call?.status, call?.error?.code], ["failed", "SUB_TASK_FAILED"]);
    assert.match((await textsOf(runId))[0] ?? "", /The sub-task was deleted/);
  });

  it("with the account of the starter ends the run in the swarm of somebody else", async (t) => {
    const outer = await openOuter(stage);
    const starter = await stage.newUser();
    await addMember(stage, outer.swarmId, starter);
    subTaskNode(t, stage, { script: delegates(undefined, (call) => hangs(call, "I work")) }).start();
    const { runId } = await askUntil({ ...outer, ownerId: starter }, "running");
    await stage.deleteUser(starter);
    const { status, stop_reason: reason } = await stage.end(runId);
    assert.deepEqual([status, reason], ["cancelled", "starter_removed"]);
  });
});

describe("the budget of a sub-task", () => {
  /** The usage that is recorded, of each model call 15 tokens. */
  const usageOf = (swarmId: string): Promise<{ tokens: string; runs: string }[]> =>
    stage.rows(
      "select sum(input_tokens + output_tokens) as tokens, count(distinct run_id) as runs from public.usage_records where swarm_id = $1",
      [swarmId],
    );

  it("is that of the tool and of its swarm", async (t) => {
    const byTool = await openOuter(stage, { budget: { max_tokens: 10 } });
    const bySwarm = await openOuter(stage, { settings: { budget: { max_tokens: 10 } } });
    subTaskNode(t, stage).start();
    for (const outer of [byTool, bySwarm]) {
      const runId = await stage.ask(outer);
      assert.equal((await stage.end(runId)).status, "completed");
      assert.deepEqual(
        (await listSubTasks(stage, runId)).map(({ stop_reason: reason }) => reason),
        ["budget_exceeded"],
      );
    }
  });

  it("counts in those of the run and the conversation around it", async (t) => {
    const outer = await openOuter(stage);
    subTaskNode(t, stage).start();
    await stage.end(await stage.ask(outer));
    assert.deepEqual(await usageOf(outer.swarmId), [{ tokens: "45", runs: "2" }]);
    await stage.rows("update public.swarms set settings = $2 where id = $1", [
      outer.swarmId,
      JSON.stringify({ budget: { max_tokens_per_day: 50 } }),
    ]);
    const runId = await stage.ask(outer);
    assert.equal((await stage.end(runId)).stop_reason, "budget_exceeded");
  });

  it("cannot be passed by many at the same time", async (t) => {
    const outer = await openOuter(stage);
    await stage.rows("update public.swarms set settings = $2 where id = $1", [
      outer.swarmId,
      JSON.stringify({ budget: { max_tokens: 9_000 } }),
    ]);
    const messages = Array.from({ length: 12 }, (_, index) => `part ${index}`);
    let open = 0;
    const script = delegates(messages, async function* (call) {
      open += 1;
      // Each reserves the largest answer, of 4,096 tokens: two fit.
      await until(async () => open >= 2, "two work");
      yield* says(call, "done");
    });
    subTaskNode(t, stage, { script }).start();
    const runId = await stage.ask(outer);
    await stage.end(runId);
    const tasks = await listSubTasks(stage, runId);
    assert.equal(tasks.length, 12);
    assert.ok(tasks.filter(({ stop_reason: reason }) => reason === "budget_exceeded").length > 0);
    const [used] = await usageOf(outer.swarmId);
    assert.ok(Number(used?.tokens) <= 9_000);
  });
});
