import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ModelCall, ModelEvent } from "../../../src/agents/providers/model-port.ts";
import { calls, collect, lastRole, type NewSwarm, openRunStage, type RunStage, says } from "../support/run-stage.ts";
import { until } from "../../support/until.ts";

// Turns that wait, ask and speak at the same time, on a real database.

let stage: RunStage;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  stage = await openRunStage({ after: (close) => void closers.push(close) });
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

interface NewGuardrail {
  readonly agentId?: string;
  readonly swarmId?: string;
  readonly kind?: string;
  readonly stage: "input" | "output";
  readonly action?: "block" | "rewrite";
  readonly config?: object;
}

async function guard(row: NewGuardrail): Promise<void> {
  await stage.sql.query(
    `insert into public.guardrails (agent_id, swarm_id, name, kind, stage, action, config)
     values ($1, $2, 'Words', $3, $4, $5, $6)`,
    [
      row.agentId ?? null,
      row.swarmId ?? null,
      row.kind ?? "pattern",
      row.stage,
      row.action ?? "block",
      JSON.stringify(row.config ?? { pattern: "forbidden" }),
    ],
  );
}

const agentOf = ({ agentIds }: NewSwarm, place = 0): string => agentIds[place] ?? "";

/** Text before a tool call that waits for an approval, and text after it. */
async function pause() {
  const swarm = await stage.newSwarm({ agents: ["Ann"] });
  await stage.newTool(agentOf(swarm), "pay", { requiresApproval: true });
  await guard({ agentId: agentOf(swarm), stage: "output", action: "rewrite" });
  const script = async function* (call: ModelCall): AsyncGenerator<ModelEvent> {
    if (lastRole(call) === "tool") yield* says(call, "done, forbidden");
    else
      for await (const event of calls(call, { name: "pay" })) {
        if (event.type === "tool_call") yield { type: "text", delta: "a forbidden plan" };
        yield event;
      }
  };
  const node = stage.node({ script });
  const runId = await stage.ask(swarm);
  const shown = collect(node, runId);
  await node.take(runId);
  await until(async () => (await stage.run(runId)).status === "requires_action", "it waits");
  return { swarm, runId, shown, script };
}

const storedEvents = (runId: string): Promise<{ data: unknown }[]> =>
  stage.rows("select data from public.run_events where run_id = $1", [runId]);

test("text before a tool call that waits is withheld, and checked with the rest on another node", async () => {
  const { runId, shown, script } = await pause();
  assert.doesNotMatch(JSON.stringify([shown, await storedEvents(runId)]), /forbidden/);
  await stage.sql.query("update public.tool_executions set status = 'running' where run_id = $1", [runId]);
  const other = stage.node({ script });
  const later = collect(other, runId);
  await other.take(runId);
  assert.equal((await stage.end(runId)).status, "completed");
  const [answer] = await stage.texts(runId);
  assert.equal(answer?.content, "a [removed] plan\n\ndone, [removed]");
  assert.doesNotMatch(JSON.stringify([later, await storedEvents(runId)]), /forbidden/);
});

test("a turn that waited and cannot continue stores nothing of its text", async () => {
  const { swarm, runId, script } = await pause();
  await stage.sql.query("update public.swarm_agents set enabled = false where agent_id = $1", [agentOf(swarm)]);
  await stage.sql.query("update public.tool_executions set status = 'running' where run_id = $1", [runId]);
  await stage.node({ script }).take(runId);
  await stage.end(runId);
  assert.deepEqual(await stage.texts(runId), []);
});

test("a question that a guardrail of the asked agent blocks ends that agent's turn alone", async () => {
  const swarm = await stage.newSwarm({ agents: ["Ann", "Bo"], strategy: "supervisor" });
  await stage.sql.query("update public.swarms set coordinator_agent_id = $2 where id = $1", [
    swarm.swarmId,
    agentOf(swarm),
  ]);
  await guard({ agentId: agentOf(swarm, 1), stage: "input" });
  const asked: string[] = [];
  const script = (call: ModelCall): AsyncIterable<ModelEvent> => {
    asked.push(call.agent.name);
    return lastRole(call) === "tool"
      ? says(call, "Bo does not answer")
      : calls(call, { name: "ask_bo", input: { message: "a forbidden thing" } });
  };
  const runId = await stage.ask(swarm);
  await stage.node({ script }).take(runId);
  await stage.end(runId);
  assert.deepEqual(asked, ["Ann", "Ann"]);
  const turns = await stage.rows(
    "select agent_name, status, error ->> 'code' as code from run_turns where run_id = $1",
    [runId],
  );
  assert.deepEqual(turns, [
    { agent_name: "Ann", status: "completed", code: null },
    { agent_name: "Bo", status: "failed", code: "GUARDRAIL_BLOCKED" },
  ]);
  assert.deepEqual(await stage.rows("select 1 from message_flags where swarm_id = $1", [swarm.swarmId]), []);
});

test("the text of a turn that hands over is checked", async () => {
  const swarm = await stage.newSwarm({ agents: ["Ann", "Bo"], strategy: "handoff" });
  await guard({ agentId: agentOf(swarm), stage: "output", action: "rewrite" });
  const script = async function* (call: ModelCall): AsyncGenerator<ModelEvent> {
    if (call.agent.name === "Bo") return yield* says(call, "I take it");
    for await (const event of calls(call, { name: "handoff_to_bo", input: { reason: "Bo knows" } })) {
      if (event.type === "tool_call") yield { type: "text", delta: "forbidden words" };
      yield event;
    }
  };
  const runId = await stage.ask(swarm);
  await stage.node({ script }).take(runId);
  await stage.end(runId);
  assert.deepEqual(
    (await stage.texts(runId)).map(({ content }) => content),
    ["[removed] words", "I take it"],
  );
});

test("the reason of a handoff is checked before the next agent reads it", async () => {
  const handOver = async (action: "rewrite" | "block") => {
    const swarm = await stage.newSwarm({ agents: ["Ann", "Bo"], strategy: "handoff" });
    await guard({ agentId: agentOf(swarm), stage: "output", action });
    const read: string[] = [];
    const script = (call: ModelCall): AsyncIterable<ModelEvent> => {
      if (call.agent.name === "Ann")
        return calls(call, { name: "handoff_to_bo", input: { reason: "Bo knows the forbidden words" } });
      read.push(JSON.stringify(call.messages));
      return says(call, "I take it");
    };
    const runId = await stage.ask(swarm);
    await stage.node({ script }).take(runId);
    await stage.end(runId);
    const stored = await stage.rows("select to_jsonb(t) as turn from run_turns t where run_id = $1", [runId]);
    assert.doesNotMatch(JSON.stringify([read, stored, await storedEvents(runId)]), /forbidden/);
    return read;
  };
  const [rewritten, ...more] = await handOver("rewrite");
  assert.match(rewritten ?? "", /Bo knows the \[removed\] words/);
  assert.deepEqual(more, []);
  assert.deepEqual(await handOver("block"), [], "nobody takes over");
});

test("the error of a structured answer that was not checked quotes nothing of it", async () => {
  const swarm = await stage.newSwarm({ agents: ["Ann"] });
  await guard({ swarmId: swarm.swarmId, stage: "output" });
  const script = (call: ModelCall): AsyncIterable<ModelEvent> => says(call, '{"forbidden ', 'words": 1}');
  const request = { response_schema: { type: "object", additionalProperties: false } };
  const runId = await stage.ask(swarm, "hello", request);
  const node = stage.node({ script });
  const shown = collect(node, runId);
  await node.take(runId);
  await stage.end(runId);
  const turns = await stage.rows("select error, warnings from run_turns where run_id = $1", [runId]);
  assert.match(JSON.stringify(turns), /RESPONSE_SCHEMA_MISMATCH/);
  assert.doesNotMatch(JSON.stringify([turns, shown, await storedEvents(runId)]), /forbidden/);
});

test("agents that speak at the same time ask the model about a message once, and one of them is charged", async () => {
  const swarm = await stage.newSwarm({ agents: ["Ann", "Bo", "Cy"], strategy: "parallel" });
  await guard({ swarmId: swarm.swarmId, stage: "input", kind: "model", config: { policy: "No politics." } });
  let checks = 0;
  const script = (call: ModelCall): AsyncIterable<ModelEvent> => {
    if (!call.system.includes("No politics.")) return says(call, "Hello.");
    checks += 1;
    return says(call, '{"violation": false, ', '"reason": ""}');
  };
  const runId = await stage.ask(swarm);
  await stage.node({ script }).take(runId);
  assert.equal((await stage.end(runId)).status, "completed");
  assert.equal(checks, 1);
  const tokens = await stage.rows<{ input_tokens: number }>(
    "select input_tokens::float8 from run_turns where run_id = $1 order by input_tokens",
    [runId],
  );
  assert.deepEqual(
    tokens.map(({ input_tokens }) => input_tokens),
    [10, 10, 20],
  );
});

test("with a model, an agent reads the 20 latest messages of others", async () => {
  const swarm = await stage.newSwarm({ agents: ["Ann"] });
  await guard({ agentId: agentOf(swarm), stage: "input", kind: "model", config: { policy: "No politics." } });
  for (let place = 0; place < 25; place += 1)
    await stage.sql.query(
      "insert into messages (swarm_id, sender_type, sender_user_id, content) values ($1, 'user', $2, $3)",
      [swarm.swarmId, swarm.ownerId, `message ${place}.`],
    );
  let read = "";
  const script = (call: ModelCall): AsyncIterable<ModelEvent> => {
    if (call.system.includes("No politics.")) return says(call, '{"violation": false, "reason": ""}');
    read = JSON.stringify(call.messages);
    return says(call, "Hello.");
  };
  const runId = await stage.ask(swarm, "the question");
  await stage.node({ script }).take(runId);
  await stage.end(runId);
  assert.match(read, /message 6\..*message 24\..*the question/);
  assert.doesNotMatch(read, /message 5\./);
  const [turn] = await stage.rows<{ warnings: unknown }>("select warnings from run_turns where run_id = $1", [runId]);
  assert.deepEqual(turn?.warnings, [{ setting: "guardrails", message: "left out 6 older messages" }]);
});
