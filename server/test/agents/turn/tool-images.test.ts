import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ModelCall, ModelEvent, ModelMessage } from "../../../src/agents/providers/model-port.ts";
import type { ToolOutcome } from "../../../src/agents/tools/tool-port.ts";
import { openRunStage, type RunStage, succeeded } from "../support/run-stage.ts";
import { until } from "../../support/until.ts";

let stage: RunStage;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  stage = await openRunStage({ after: (close) => void closers.push(close) });
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

const USAGE = { inputTokens: 10, cachedInputTokens: 0, outputTokens: 5, reasoningTokens: 0, isEstimated: false };

/** One step of calls for each list of names, then an answer. */
function script(steps: readonly (readonly string[])[], seen: (readonly ModelMessage[])[]) {
  return async function* ({ framework, messages }: ModelCall): AsyncGenerator<ModelEvent> {
    seen.push([...messages]);
    yield { type: "start", framework, model: "scripted", attempt: 1 };
    const names = steps[messages.filter(({ role }) => role === "assistant").length];
    for (const [index, name] of (names ?? []).entries())
      yield {
        type: "tool_call",
        call: { id: `${name}_${messages.length}_${index}`, name, inputText: `{"n":${messages.length}}` },
      };
    if (names === undefined) yield { type: "text", delta: "done" };
    yield { type: "finish", reason: names === undefined ? "stop" : "tool_calls", usage: USAGE };
  };
}

function withImage(chars: number): ToolOutcome {
  return { ...succeeded("[image 1]"), images: [{ mediaType: "image/png", data: "A".repeat(chars) }] };
}

const imagesIn = (messages: readonly ModelMessage[] = []): number[] =>
  messages.flatMap((message) => (message.role === "tool" ? [message.images?.length ?? 0] : []));

test("the model sees the images of a turn's newest results, and their size does not count as tokens", async () => {
  const swarm = await stage.newSwarm({ agents: ["Ada"], settings: { budget: { max_tokens_per_day: 30_000 } } });
  await stage.newTool(swarm.agentIds[0] ?? "", "look");
  const seen: (readonly ModelMessage[])[] = [];
  const runId = await stage.ask(swarm);
  const node = stage.node({
    script: script([["look"], ["look"], ["look"]], seen),
    tools: { run: async () => withImage(3_000_000) },
  });
  await node.take(runId);
  assert.equal((await stage.end(runId)).status, "completed");
  assert.deepEqual(seen.map(imagesIn), [[], [1], [1, 1], [0, 1, 1]]);
  const dropped = seen.at(-1)?.find(({ role }) => role === "tool");
  assert.ok(dropped?.role === "tool");
  assert.match(dropped.output, /no longer available/);
  const [stored] = await stage.rows<{ size: number }>(
    `select max(octet_length(p.output::text)) as size from public.tool_execution_payloads p
     join public.tool_executions x on x.id = p.tool_execution_id where x.run_id = $1`,
    [runId],
  );
  assert.ok((stored?.size ?? 0) > 0 && (stored?.size ?? 0) < 100);
});

test("a turn that waits is stored without its images, and tells the model so", async () => {
  const swarm = await stage.newSwarm({ agents: ["Ada"] });
  const [agentId = ""] = swarm.agentIds;
  await stage.newTool(agentId, "look");
  await stage.newTool(agentId, "pay", { requiresApproval: true });
  const seen: (readonly ModelMessage[])[] = [];
  const runId = await stage.ask(swarm);
  const node = stage.node({
    script: script([["look"], ["look", "pay"]], seen),
    tools: { run: async ({ name }) => ({ ...withImage(500_000), text: name }) },
  });
  await node.take(runId);
  await until(async () => (await stage.run(runId)).status === "requires_action", "the run waits");
  assert.deepEqual(seen.map(imagesIn), [[], [1]]);
  const [progress] = await stage.rows<{ size: number }>(
    "select octet_length(progress::text) as size from private.run_progress where run_id = $1",
    [runId],
  );
  assert.ok((progress?.size ?? 0) > 0 && (progress?.size ?? 0) < 20_000, String(progress?.size));
  const decide = "select private.decide_tool_executions($1)";
  const [execution] = await stage.rows<{ id: string }>(
    "select id from public.tool_executions where run_id = $1 and status = 'pending_approval'",
    [runId],
  );
  const decisions = [{ tool_execution_id: execution?.id, approved: true }];
  const call = { run_id: runId, user_id: swarm.ownerId, is_service: false, decisions };
  await stage.sql.query(decide, [JSON.stringify(call)]);
  node.start();
  assert.equal((await stage.end(runId)).status, "completed");
  const last = seen.at(-1) ?? [];
  assert.deepEqual(imagesIn(last), [0, 0, 1]);
  const outputs = last.flatMap((message) => (message.role === "tool" ? [message.output] : []));
  assert.deepEqual(
    outputs.map((output) => output.includes("no longer available")),
    [true, true, false],
  );
});
