import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { ModelCall, ModelEvent } from "../../../src/agents/providers/model-port.ts";
import {
  calls,
  hangs,
  lastRole,
  type NewSwarm,
  openRunStage,
  type RunNode,
  type RunStage,
  says,
} from "../support/run-stage.ts";
import { until } from "../../support/until.ts";

const closers: (() => Promise<void>)[] = [];
let stage: RunStage;

before(async () => {
  stage = await openRunStage({ after: (close) => void closers.push(close) });
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

/** About 3,600 tokens by any estimate. */
const LONG_MESSAGE = "long ".repeat(2_600);

/** Uses its whole output limit. */
async function* writesAll(
  call: ModelCall,
  inputTokens = Math.floor(JSON.stringify(call.messages).length / 4),
): AsyncGenerator<ModelEvent> {
  yield { type: "start", framework: call.framework, model: "scripted", attempt: 1 };
  yield { type: "text", delta: "dear words" };
  const usage = { inputTokens, outputTokens: call.maxOutputTokens ?? 4_096, cachedInputTokens: 0, reasoningTokens: 0 };
  yield { type: "finish", reason: "stop", usage: { ...usage, isEstimated: false } };
}

async function newPayer(tokens: number): Promise<string> {
  const payerId = await stage.newUser();
  await stage.rows("update public.user_settings set daily_token_budget = $2 where user_id = $1", [payerId, tokens]);
  return payerId;
}

async function spentBy(payerId: string): Promise<number> {
  const [row] = await stage.rows<{ tokens: number }>(
    `select coalesce(sum(input_tokens + output_tokens), 0)::integer as tokens
     from public.usage_records where payer_id = $1`,
    [payerId],
  );
  return row?.tokens ?? 0;
}

async function heldBy(payerId: string): Promise<number> {
  const [row] = await stage.rows<{ tokens: number }>(
    "select coalesce(sum(tokens), 0)::integer as tokens from private.budget_reservations where payer_id = $1",
    [payerId],
  );
  return row?.tokens ?? 0;
}

/** The given number of swarms of the payer, each with a queued run. */
async function askAll(ownerId: string, count: number, strategy = "round_robin", agents = ["Ada"]) {
  const asked: (NewSwarm & { readonly runId: string })[] = [];
  for (let at = 0; at < count; at += 1) {
    const swarm = await stage.newSwarm({ agents, strategy, ownerId });
    asked.push({ ...swarm, runId: await stage.ask(swarm, LONG_MESSAGE) });
  }
  return asked;
}

async function endAll(runs: readonly { readonly runId: string }[]): Promise<string[]> {
  const reasons: string[] = [];
  for (const { runId } of runs) reasons.push((await stage.end(runId)).stop_reason ?? "");
  return reasons;
}

const startNodes = (count: number, script: (call: ModelCall) => AsyncIterable<ModelEvent>): RunNode[] =>
  Array.from({ length: count }, () => {
    const node = stage.node({ script, executor: { times: { watchMs: 30, claimPollMs: 30, sweepMs: 30 } } });
    node.start();
    return node;
  });

describe("the daily budget of a payer", () => {
  test("is not exceeded by parallel runs in fifteen swarms on two nodes", async () => {
    const payerId = await newPayer(20_000);
    const runs = await askAll(payerId, 15);
    let underWay = 0;
    // All calls are concurrent.
    const allDecided = async (): Promise<boolean> => {
      const [row] = await stage.rows<{ ended: number }>(
        "select count(*)::integer as ended from public.runs where user_id = $1 and stop_reason is not null",
        [payerId],
      );
      return underWay + (row?.ended ?? 0) >= runs.length;
    };
    const nodes = startNodes(2, async function* (call) {
      underWay += 1;
      await until(allDecided, "every run has made its call or was rejected");
      yield* writesAll(call);
    });
    const reasons = await endAll(runs);
    assert.deepEqual(new Set(reasons), new Set(["all_replied", "budget_exceeded"]));
    const spent = await spentBy(payerId);
    assert.ok(spent > 10_000 && spent <= 20_000, `${spent}`);
    assert.equal(await heldBy(payerId), 0);
    for (const node of nodes) await node.stop();
  });

  test("is not exceeded by parallel turns with several model calls each", async () => {
    const payerId = await newPayer(30_000);
    const runs = await askAll(payerId, 5, "parallel", ["Ada", "Bo"]);
    for (const agentId of runs.flatMap(({ agentIds }) => agentIds)) await stage.newTool(agentId, `look_${agentId}`);
    // Fewer than any estimate for the long message: the estimates adapt to the usage that earlier calls reported.
    const inputTokens = 1_500;
    const nodes = startNodes(2, async function* (call) {
      if (call.toolChoice === "none" || call.messages.length > 4) return yield* writesAll(call, inputTokens);
      yield { type: "start", framework: call.framework, model: "scripted", attempt: 1 };
      const input = JSON.stringify({ step: call.messages.length });
      yield { type: "tool_call", call: { id: input, name: call.tools[0]?.name ?? "", inputText: input } };
      const usage = { inputTokens, cachedInputTokens: 0, reasoningTokens: 0, isEstimated: false };
      yield { type: "finish", reason: "tool_calls", usage: { ...usage, outputTokens: call.maxOutputTokens ?? 0 } };
    });
    await endAll(runs);
    const spent = await spentBy(payerId);
    assert.ok(spent <= 30_000, `${spent}`);
    assert.equal(await heldBy(payerId), 0);
    for (const node of nodes) await node.stop();
  });

  test("is released when the run of a dead node is closed, except for its settled calls", async () => {
    const payerId = await newPayer(20_000);
    const [abandoned] = await askAll(payerId, 1);
    assert.ok(abandoned !== undefined);
    await stage.newTool(abandoned.agentIds[0] ?? "", "look_up");
    const revival = Promise.withResolvers<void>();
    let isBack = false;
    const dead = stage.node({
      script: async function* (call) {
        if (lastRole(call) === "user") return yield* calls(call, { name: "look_up" });
        yield* says(call, "half of it");
        await revival.promise;
        isBack = true;
      },
    });
    await dead.take(abandoned.runId);
    const words = "select 1 from public.run_events where run_id = $1 and type = 'message.delta'";
    await until(async () => (await stage.rows(words, [abandoned.runId])).length > 0, "the second call speaks");
    assert.ok((await heldBy(payerId)) > 4_096);
    await stage.rows(
      "update private.run_leases set expires_at = now() - interval '1 second', takeovers = 2 where run_id = $1",
      [abandoned.runId],
    );
    await stage.rows("select private.sweep_runs(100)");
    assert.equal((await stage.run(abandoned.runId)).stop_reason, "worker_lost");
    assert.equal(await heldBy(payerId), 0);
    // The settled call used 15 tokens; the call in progress is released.
    assert.equal(await spentBy(payerId), 15);

    revival.resolve();
    await until(() => isBack && !dead.streamHub.isHere(abandoned.runId), "the node has noticed");
    assert.deepEqual([await heldBy(payerId), await spentBy(payerId)], [0, 15]);
  });

  test("includes the input of aborted calls, before and after the first token", async () => {
    const payerId = await newPayer(1_000_000);
    const runs = await askAll(payerId, 2);
    let asked = 0;
    const nodes = startNodes(1, async function* (call) {
      asked += 1;
      if (asked % 2 === 0) return yield* hangs(call, "a word");
      await new Promise((_, reject) =>
        call.signal.addEventListener("abort", () => reject(call.signal.reason as Error), { once: true }),
      );
    });
    await until(() => asked >= 2, "both calls are made");
    for (const { runId } of runs) await stage.rows("select private.request_cancel($1, 'cancelled')", [runId]);
    assert.deepEqual(await endAll(runs), ["cancelled", "cancelled"]);
    assert.ok((await spentBy(payerId)) > 2 * 3_000);
    assert.equal(await heldBy(payerId), 0);
    for (const node of nodes) await node.stop();
  });

  test("includes the usage of a paused run, also after the run is cancelled", async () => {
    const payerId = await newPayer(20_000);
    const [asked] = await askAll(payerId, 1);
    assert.ok(asked !== undefined);
    await stage.newTool(asked.agentIds[0] ?? "", "pay", { requiresApproval: true });
    const [node] = startNodes(1, (call) => calls(call, { name: "pay" }));
    await until(async () => (await stage.run(asked.runId)).status === "requires_action", "the run waits");
    assert.deepEqual([await heldBy(payerId), await spentBy(payerId)], [15, 0]);
    await stage.rows("select private.request_cancel($1, 'cancelled')", [asked.runId]);
    assert.deepEqual([await heldBy(payerId), await spentBy(payerId)], [0, 15]);
    await node?.stop();
  });

  test("includes the calls in progress and the paused runs of a swarm that is deleted", async () => {
    const payerId = await newPayer(20_000);
    const [asked, paused] = await askAll(payerId, 2);
    assert.ok(asked !== undefined && paused !== undefined);
    await stage.newTool(paused.agentIds[0] ?? "", "pay", { requiresApproval: true });
    const nodes = startNodes(1, (call) =>
      call.tools.length > 0 ? calls(call, { name: "pay" }) : hangs(call, "words"),
    );
    await until(async () => (await stage.run(paused.runId)).status === "requires_action", "the run waits");
    await until(async () => (await heldBy(payerId)) > 15, "the call is under way");
    const held = await heldBy(payerId);
    await stage.rows("delete from public.swarms where owner_id = $1", [payerId]);
    assert.deepEqual([await heldBy(payerId), await spentBy(payerId)], [0, held]);
    const recorded = await stage.rows(
      "select run_id, agent_id, estimated from public.usage_records where payer_id = $1 order by estimated desc",
      [payerId],
    );
    assert.deepEqual(recorded, [
      { run_id: asked.runId, agent_id: asked.agentIds[0], estimated: true },
      { run_id: paused.runId, agent_id: paused.agentIds[0], estimated: false },
    ]);
    for (const node of nodes) await node.stop();
  });

  test("includes the call of an agent that is deleted meanwhile", async () => {
    const payerId = await newPayer(20_000);
    const [asked] = await askAll(payerId, 1);
    assert.ok(asked !== undefined);
    const nodes = startNodes(1, (call) => hangs(call, "words"));
    await until(async () => (await heldBy(payerId)) > 0, "the call is under way");
    await stage.rows("delete from public.agents where id = $1", [asked.agentIds[0]]);
    await stage.end(asked.runId);
    assert.ok((await spentBy(payerId)) > 3_000);
    assert.equal(await heldBy(payerId), 0);
    for (const node of nodes) await node.stop();
  });

  test("keeps no reservation when a swarm or an account is deleted during a call", async () => {
    const nodes = startNodes(1, (call) => hangs(call, "words"));
    for (const victim of ["swarm", "account"]) {
      const payerId = await newPayer(20_000);
      const [asked] = await askAll(payerId, 1);
      assert.ok(asked !== undefined);
      await until(async () => (await heldBy(payerId)) > 0, "the call is under way");
      if (victim === "swarm") await stage.rows("delete from public.swarms where id = $1", [asked.swarmId]);
      else await stage.deleteUser(payerId);
      assert.equal(await heldBy(payerId), 0);
      await until(() => nodes.every((node) => !node.streamHub.isHere(asked.runId)), "the node has released the run");
      assert.equal(await heldBy(payerId), 0);
    }
    for (const node of nodes) await node.stop();
  });
});
