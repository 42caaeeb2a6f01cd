import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { countLiveRuns, pruneModelCalls, sweepRuns } from "../../../src/agents/execution/sql/manage-runs.ts";
import { cancelRun, selectRunBody } from "../../../src/agents/respond/sql/run-control.ts";
import { openRunStage, type RunStage, says } from "../support/run-stage.ts";
import {
  type Call,
  goOn,
  makeDue,
  newWaiter,
  openWait,
  resultsOf,
  signal,
  sleeps,
  untilStatus,
  type WaitingRun,
  waitsFor,
} from "../support/wait-stage.ts";
import { decide } from "../support/acting-stage.ts";
import { until } from "../../support/until.ts";

let stage: RunStage;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  stage = await openRunStage({ after: (close) => void closers.push(close) });
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

interface Shown {
  readonly status: string;
  readonly pending_waits: readonly Record<string, unknown>[] | null;
  readonly can_continue: boolean;
}
const shown = async (runId: string): Promise<Shown> => (await stage.run(runId)) as unknown as Shown;
const contents = async (runId: string): Promise<string[]> => (await stage.texts(runId)).map(({ content }) => content);
const executionOf = async (runId: string): Promise<Record<string, unknown>> => {
  const [row] = await stage.rows<Record<string, unknown>>("select * from public.tool_executions where run_id = $1", [
    runId,
  ]);
  return row ?? {};
};

describe("a run that waits for a time", () => {
  test("frees its swarm, shows what it waits for, and continues on another node", async () => {
    const waiting = await openWait(stage, { steps: [[sleeps()]] });
    const { swarm, runId } = waiting;
    const [agentId = ""] = swarm.agentIds;
    const { status, pending_waits: waits, can_continue: canContinue } = await shown(runId);
    const execution = await executionOf(runId);
    assert.deepEqual([status, canContinue, execution["status"]], ["waiting", false, "waiting"]);
    const [wait] = waits ?? [];
    assert.deepEqual(
      { ...wait, until: new Date(String(wait?.["until"])) },
      {
        tool_execution_id: execution["id"],
        tool_name: "sleep",
        agent_id: agentId,
        kind: "time",
        until: execution["expires_at"],
      },
    );
    assert.equal(await stage.statusOf(agentId), "idle");
    const body = await selectRunBody(stage.pool, runId, { role: "authenticated", userId: swarm.ownerId });
    assert.deepEqual(body?.pending_waits, waits);
    assert.deepEqual([body?.status, body?.pending_approvals], ["waiting", null]);
    assert.equal((body as { usage?: { input_tokens: number } }).usage?.input_tokens, 10);
    assert.equal((await countLiveRuns(stage.pool)).find((row) => row.status === "waiting")?.count, 1);

    const meanwhile = stage.node({ script: (call) => says(call, "meanwhile") });
    const second = await stage.ask(swarm, "and this?");
    await meanwhile.take(second);
    assert.equal((await stage.end(second)).status, "completed");

    await assert.rejects(waiting.another().take(runId), /could not be started/);
    await makeDue(stage, runId);
    assert.equal((await shown(runId)).can_continue, true);
    assert.equal(await goOn(stage, waiting), "completed all_replied");
    const [result] = await resultsOf(stage, runId);
    assert.equal(result?.["ended_by"], "time");
    assert.deepEqual(await contents(runId), [JSON.stringify(result)]);
    const end = await shown(runId);
    assert.deepEqual([end.pending_waits, end.can_continue], [null, false]);
  });

  test("is continued by any node that runs, at the time and without a call", async () => {
    const waiting = await openWait(stage, { steps: [[sleeps(1)]] });
    // Looks every hour, and earlier because something is due.
    const node = waiting.another({ executor: { times: { sweepMs: 3_600_000 } } });
    node.start();
    assert.equal((await stage.end(waiting.runId)).status, "completed");
    await node.stop();
  });

  test("is continued by the node on which it began to wait", async () => {
    const swarm = await newWaiter(stage);
    const { node, runId } = await openWait(stage, {
      swarm,
      steps: [[sleeps(3_600)]],
      executor: { times: { sweepMs: 3_600_000 } },
    });
    node.start();
    await stage.rows("update public.tool_executions set expires_at = now() where run_id = $1", [runId]);
    const second = await stage.ask(swarm, "a wait that has the node look");
    assert.equal((await stage.end(runId)).status, "completed");
    await cancelRun(stage.pool, second, { role: "service_role", userId: null });
    await node.stop();
  });

  test("does not lose the time that it may work", async () => {
    const waiting = await openWait(stage, { steps: [[sleeps()]], settings: { timeout_ms: 30_000 } });
    const { runId } = waiting;
    await stage.rows("update private.run_progress set saved_at = now() - interval '300 days' where run_id = $1", [
      runId,
    ]);
    await stage.rows("update public.runs set started_at = now() - interval '300 days' where id = $1", [runId]);
    await makeDue(stage, runId);
    assert.equal(await goOn(stage, waiting), "completed all_replied");
  });

  test("has no time left to gain from a clock that is set back", async () => {
    const { runId } = await openWait(stage, { steps: [[sleeps()]] });
    await stage.rows("update private.run_leases set is_taken_over = true where run_id = $1", [runId]);
    await stage.rows(
      `update private.run_progress set saved_at = now() + interval '1 day', progress = progress || '{"seq": 9}'
       where run_id = $1`,
      [runId],
    );
    const text = "select private.build_recovery(r) -> 'elapsed_ms' as ms from public.runs r where id = $1";
    assert.deepEqual(await stage.rows(text, [runId]), [{ ms: 0 }]);
  });

  test("is cancelled at once, and takes no signal after that", async () => {
    const { runId, swarm } = await openWait(stage, { steps: [[waitsFor("paid")]] });
    await signal(stage, runId, "other", { userId: swarm.ownerId });
    const body = await cancelRun(stage.pool, runId, { role: "authenticated", userId: swarm.ownerId });
    assert.deepEqual([body.status, body.pending_waits], ["cancelled", null]);
    await assert.rejects(signal(stage, runId, "paid", { userId: swarm.ownerId }), { code: "RUN_ENDED" });
    assert.deepEqual(await stage.rows("select 1 from private.run_signals where run_id = $1", [runId]), []);
    assert.equal((await executionOf(runId))["status"], "cancelled");
  });

  test("keeps its model calls beyond their retention", async () => {
    const waiting = await openWait(stage, { steps: [[sleeps()]] });
    const { runId } = waiting;
    const age = "update public.model_calls set created_at = now() - interval '90 days' where run_id = $1";
    const count = async (): Promise<number> =>
      (await stage.rows("select 1 from public.model_calls where run_id = $1", [runId])).length;
    await stage.rows(age, [runId]);
    await pruneModelCalls(stage.pool, 24, 1_000);
    assert.equal(await count(), 1);
    await makeDue(stage, runId);
    await goOn(stage, waiting);
    await stage.rows(age, [runId]);
    await pruneModelCalls(stage.pool, 24, 1_000);
    assert.equal(await count(), 0);
  });

  test("ends when its agent was deleted", async () => {
    const { swarm, runId, another } = await openWait(stage, { steps: [[sleeps()]] });
    await stage.rows("delete from public.agents where id = $1", [swarm.agentIds[0]]);
    const node = another({ executor: { times: { sweepMs: 50 } } });
    node.start();
    assert.equal((await stage.end(runId)).stop_reason, "no_reply_needed");
    assert.deepEqual(await contents(runId), []);
    await node.stop();
  });
});

describe("a run that waits for an event", () => {
  test("reads the data of the signal, and other signals are kept for later waits", async () => {
    const waiting = await openWait(stage, { steps: [[waitsFor("paid")], [waitsFor("sent")]] });
    const { runId, swarm } = waiting;
    const { ownerId: userId } = swarm;
    const [wait] = (await shown(runId)).pending_waits ?? [];
    assert.deepEqual([wait?.["kind"], wait?.["name"], wait?.["from"]], ["event", "paid", "starter"]);
    await signal(stage, runId, "sent", { userId, data: { by: "post" } });
    assert.equal((await shown(runId)).can_continue, false);
    const body = await signal(stage, runId, "paid", { userId, data: { amount: 1e21, note: "“ü”" } });
    assert.deepEqual([body.status, body.pending_waits], ["waiting", null]);
    // One wait is over: this one is for the next, which does not come.
    await signal(stage, runId, "paid", { userId, data: "again" });
    assert.equal(await goOnTwice(waiting), "completed all_replied");
    const [paid, sent] = await resultsOf(stage, runId);
    assert.deepEqual(
      [paid?.["ended_by"], paid?.["data"], paid?.["sent_by"]],
      ["signal", { amount: 1e21, note: "“ü”" }, "starter"],
    );
    assert.deepEqual([sent?.["name"], sent?.["data"]], ["sent", { by: "post" }]);
    assert.deepEqual(await stage.rows("select 1 from private.run_signals where run_id = $1", [runId]), []);
  });

  test("takes a signal that came before it, and goes on at once", async () => {
    const swarm = await newWaiter(stage);
    const { runId, node } = await openWait(stage, { swarm, steps: [[waitsFor("early")]] });
    const next = await stage.ask(swarm, "again");
    await signal(stage, next, "early", { userId: swarm.ownerId, data: 7 });
    node.start();
    assert.equal((await stage.end(next)).status, "completed");
    assert.deepEqual((await resultsOf(stage, next))[0]?.["data"], 7);
    const events = await stage.rows<{ type: string }>(
      "select type from public.run_events where run_id = $1 and type ~ '^(run|tool)[.]' order by seq",
      [next],
    );
    assert.deepEqual(
      events.map(({ type }) => type),
      ["run.started", "tool.started", "tool.waiting", "run.started", "tool.executed", "run.completed"],
    );
    await node.stop();
    await cancelRun(stage.pool, runId, { role: "service_role", userId: null });
  });

  test("learns that the time is over", async () => {
    const waiting = await openWait(stage, { steps: [[waitsFor("never")]] });
    await makeDue(stage, waiting.runId);
    assert.equal(await goOn(stage, waiting), "completed all_replied");
    assert.equal((await resultsOf(stage, waiting.runId))[0]?.["ended_by"], "time");
  });

  test("ends a wait once, however many signals and nodes come at its deadline", async () => {
    const waiting = await openWait(stage, { steps: [[waitsFor("race")]] });
    const { runId, swarm } = waiting;
    await stage.rows("update public.tool_executions set expires_at = now() + interval '50 ms' where run_id = $1", [
      runId,
    ]);
    const sent = Array.from({ length: 8 }, (_, data) => signal(stage, runId, "race", { userId: swarm.ownerId, data }));
    const swept = Array.from({ length: 4 }, () => sweepRuns(stage.pool, 100));
    await Promise.all([...sent, ...swept]);
    await until(async () => {
      await sweepRuns(stage.pool, 100);
      return (await shown(runId)).can_continue;
    }, "the wait is over");
    const kept = await stage.rows<{ count: number }>(
      "select count(*)::integer as count from private.run_signals where run_id = $1",
      [runId],
    );
    const [result] = await resultsOf(stage, runId);
    assert.equal(kept[0]?.count, result?.["ended_by"] === "signal" ? 7 : 8);
    assert.equal(await goOn(stage, waiting), "completed all_replied");
    assert.equal((await stage.rows("select 1 from public.tool_executions where run_id = $1", [runId])).length, 1);
  });
});

test("several waits of a step end one by one, and an approval among them is shown first", async () => {
  const swarm = await newWaiter(stage);
  await stage.newTool(swarm.agentIds[0] ?? "", "pay", { requiresApproval: true });
  const step: Call[] = [waitsFor("a"), waitsFor("b"), { name: "pay" }];
  const waiting = await openWait(stage, { swarm, steps: [step] });
  const { runId } = waiting;
  const names = async (): Promise<unknown[]> => {
    const { status, pending_waits: waits } = await shown(runId);
    return [status, ...(waits ?? []).map(({ name }) => name)];
  };
  assert.deepEqual(await names(), ["requires_action", "a", "b"]);
  await signal(stage, runId, "b", { userId: swarm.ownerId, data: 2 });
  assert.deepEqual(await names(), ["requires_action", "a"]);
  await decide(stage, runId, swarm.ownerId);
  assert.deepEqual(await names(), ["waiting", "a"]);
  await signal(stage, runId, "a", { userId: swarm.ownerId, data: 1 });
  assert.deepEqual(await names(), ["waiting"]);
  assert.equal(await goOn(stage, waiting), "completed all_replied");
  const [text = ""] = await contents(runId);
  assert.match(text, /"data":1.*\n.*"data":2.*\npay says/);
});

/** The run waits a second time, and its signal has come before. */
async function goOnTwice(waiting: WaitingRun): Promise<string> {
  const node = waiting.another();
  node.start();
  await untilStatus(stage, waiting.runId, "completed", "failed", "partial", "cancelled");
  await node.stop();
  const { status, stop_reason: reason } = await stage.run(waiting.runId);
  return `${status} ${reason}`;
}
