import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { calls, lastRole, openRunStage, type RunStage, says, succeeded } from "../support/run-stage.ts";
import { until } from "../../support/until.ts";

const closers: (() => Promise<void>)[] = [];
/** When it resolves, nodes that were presumed dead continue and find that they have lost their runs. */
const revival = Promise.withResolvers<void>();
let stage: RunStage;

before(async () => {
  stage = await openRunStage({ after: (close) => void closers.push(close) });
});
after(async () => {
  revival.resolve();
  for (const close of closers.reverse()) await close();
});

/** A run whose node died during an answer. */
async function newAbandonedRun(abandonedFor: string): Promise<{ runId: string; agentId: string }> {
  const swarm = await stage.newSwarm({ agents: ["Ann"] });
  const agentId = swarm.agentIds[0] ?? "";
  const node = stage.node({
    script: async function* (call) {
      yield { type: "start", framework: call.framework, model: "scripted", attempt: 1 };
      yield { type: "text", delta: "half of what Ann means" };
      await revival.promise;
    },
  });
  const runId = await stage.ask(swarm);
  await node.take(runId);
  await until(async () => (await stage.statusOf(agentId)) === "responding", "the agent speaks");
  await until(
    async () =>
      (await stage.rows("select 1 from run_events where run_id = $1 and type = 'message.delta'", [runId])).length > 0,
    "its words are stored",
  );
  await stage.rows(
    "update private.run_leases set fence = fence + 1, takeovers = 2, expires_at = now() - $2::interval where run_id = $1",
    [runId, abandonedFor],
  );
  await stage.rows("update public.run_turns set started_at = now() - $2::interval where run_id = $1", [
    runId,
    abandonedFor,
  ]);
  return { runId, agentId };
}

async function approveAll(runId: string): Promise<void> {
  await stage.rows("update tool_executions set status = 'running' where run_id = $1 and status = 'pending_approval'", [
    runId,
  ]);
}

const sweep = (): Promise<unknown> => stage.rows("select private.sweep_runs(100)");

describe("the sweeper", () => {
  test("ends runs of a machine that was off for months, and runs that a backup restored", async () => {
    const { runId, agentId } = await newAbandonedRun("90 days");
    await sweep();
    const { status, stop_reason: reason } = await stage.run(runId);
    assert.deepEqual([status, reason, await stage.statusOf(agentId)], ["partial", "worker_lost", "error"]);
    const [said] = await stage.texts(runId);
    assert.deepEqual(said, { content: "half of what Ann means", finish_reason: "error", metadata: { partial: true } });
  });

  test("ends the other runs when one cannot be ended", async () => {
    const [poisoned, other] = [await newAbandonedRun("2 minutes"), await newAbandonedRun("1 minute")];
    // Represents unexpected errors: its delta is not a string.
    await stage.rows(
      "update run_events set data = data || '{\"deltas\": {}}' where run_id = $1 and type = 'message.delta'",
      [poisoned.runId],
    );
    await stage.rows(
      `insert into private.budget_reservations (id, run_id, swarm_id, payer_id, tokens, cost_usd)
       select gen_random_uuid(), r.id, r.swarm_id, r.user_id, 5000, 0 from public.runs r where r.id = $1`,
      [poisoned.runId],
    );
    await sweep().catch(() => {});
    assert.equal((await stage.run(other.runId)).stop_reason, "worker_lost");
    const held = await stage.rows("select 1 from private.budget_reservations where run_id = $1", [poisoned.runId]);
    assert.deepEqual(held, [], "its reservation is released");
  });
});

describe("a budget", () => {
  test("of a run stays the same when the run waits for approvals", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ann"], settings: { budget: { max_tokens: 9_000 } } });
    const toolId = await stage.newTool(swarm.agentIds[0] ?? "", "careful", { requiresApproval: true });
    assert.ok(toolId);
    let asked = 0;
    const node = stage.node({
      script: async function* (call) {
        asked += 1;
        yield { type: "start", framework: call.framework, model: "scripted", attempt: 1 };
        yield { type: "tool_call", call: { id: `call-${asked}`, name: "careful", inputText: `{"n":${asked}}` } };
        const usage = {
          inputTokens: 3_000,
          cachedInputTokens: 0,
          outputTokens: 1_000,
          reasoningTokens: 0,
          isEstimated: false,
        };
        yield { type: "finish", reason: "tool_calls", usage };
      },
    });
    const runId = await stage.ask(swarm);
    await node.take(runId);
    for (let round = 0; round < 3; round += 1) {
      await until(async () => (await stage.run(runId)).status !== "running", "the run waits or has ended");
      if ((await stage.run(runId)).status !== "requires_action") break;
      await approveAll(runId);
      await node.take(runId);
    }
    // 4,000 a call: the third would be over it.
    assert.equal(asked, 2, `${asked} calls of the model were paid for`);
    assert.equal((await stage.run(runId)).stop_reason, "budget_exceeded");
  });
});

describe("the context of a run with many messages", () => {
  test("does not load all messages of the maximum length", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ann"] });
    await stage.rows(
      `insert into public.messages (swarm_id, sender_type, sender_user_id, content)
       select $1, 'user', $2, repeat('long', 25000) from generate_series(1, 200)`,
      [swarm.swarmId, swarm.ownerId],
    );
    const [read] = await stage.rows<{ bytes: number }>(
      "select octet_length(messages::text) as bytes from private.read_messages($1, 0, 501)",
      [swarm.swarmId],
    );
    assert.ok((read?.bytes ?? 0) < 8_000_000, `${read?.bytes} bytes`);
  });
});

describe("the output of a model", () => {
  test("with null characters, lone surrogates and unknown names is stored like any other", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ann"] });
    await stage.newTool(swarm.agentIds[0] ?? "", "careful", { requiresApproval: true });
    const node = stage.node({
      script: async function* (call) {
        if (lastRole(call) === "tool") return yield* says(call, "a\u0000b \ud83d", "\ude00 \ud800 c");
        yield { type: "start", framework: call.framework, model: "scripted", attempt: 1 };
        yield { type: "text", delta: "\u0000" };
        for (const [at, name] of ["careful", "no\u0000such", "\udc00"].entries())
          yield { type: "tool_call", call: { id: `\u0000${at}`, name, inputText: `{"\u0061":"\\u0000\\ud800"}` } };
        const usage = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, reasoningTokens: 0, isEstimated: false };
        yield { type: "finish", reason: "tool_calls", usage };
      },
    });
    const runId = await stage.ask(swarm);
    await node.take(runId);
    await until(async () => (await stage.run(runId)).status === "requires_action", "the run waits");
    await approveAll(runId);
    await node.take(runId);
    const { status } = await stage.end(runId);
    const [said] = await stage.texts(runId);
    assert.equal(status, "completed");
    assert.match(said?.content ?? "", /b 😀 \ufffd c$/u);
  });

  test("with a thousand tool calls: fifty run, and each gets a result", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ann"] });
    await stage.newTool(swarm.agentIds[0] ?? "", "look");
    let made = 0;
    let answers = 0;
    const node = stage.node({
      script: (call) => {
        if (lastRole(call) !== "tool")
          return calls(
            call,
            ...Array.from({ length: 1_000 }, (_, n) => ({ name: n % 2 === 0 ? "look" : `x${n}`, input: { n } })),
          );
        answers = call.messages.filter(({ role }) => role === "tool").length;
        return says(call, "done");
      },
      tools: {
        run: async () => {
          made += 1;
          return succeeded("", null);
        },
      },
    });
    const runId = await stage.ask(swarm);
    await node.take(runId);
    await stage.end(runId);
    assert.deepEqual([made, answers], [50, 1_000]);
  });
});

test("automatic answers to stored messages count against the limits", async () => {
  const swarm = await stage.newSwarm({ agents: ["Ann", "Bob"] });
  const charged: string[] = [];
  const node = stage.node({
    script: (call) => says(call, "well"),
    charge: { answer: async (userId) => charged.push(userId) > 0, tool: async () => true },
  });
  const runId = await stage.ask(swarm, "hello", { source: "auto_respond" });
  await node.take(runId);
  await stage.end(runId);
  assert.deepEqual(charged, [swarm.ownerId, swarm.ownerId], "no user was charged when the message was stored");
});
