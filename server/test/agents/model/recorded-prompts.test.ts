import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  isExactPrompt,
  listPromptExecutions,
  listPromptSeqs,
  resolvePrompt,
  type SentPrompt,
  type StoredPrompt,
} from "@swarmbase/sdk";
import { ModelError } from "../../../src/errors/index.ts";
import type { ModelCall } from "../../../src/agents/providers/model-port.ts";
import { until } from "../../support/until.ts";
import { calls, lastRole, openRunStage, type RunStage, says } from "../support/run-stage.ts";

// Rows of model_call_prompts: what they tell must be what the model was sent.

let stage: RunStage;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  stage = await openRunStage({ after: (close) => void closers.push(close) });
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

interface PromptRow extends StoredPrompt {
  readonly turn_id: string | null;
  readonly tool_choice: string;
  readonly settings: unknown;
}

const promptsOf = (runId: string): Promise<PromptRow[]> =>
  stage.rows<PromptRow>(
    `select p.*, c.turn_id from public.model_call_prompts p join public.model_calls c on c.id = p.model_call_id
     where c.run_id = $1 order by c.started_at, c.created_at`,
    [runId],
  );

/** Reads the texts of the messages as they are now. */
async function resolve(swarmId: string, prompts: readonly StoredPrompt[]): Promise<SentPrompt> {
  const rows = await stage.rows<{ seq: number; content: string | null }>(
    "select seq::integer, content from public.messages where swarm_id = $1 and seq = any ($2)",
    [swarmId, listPromptSeqs(prompts)],
  );
  const sent = resolvePrompt(prompts, { message: (seq) => rows.find((row) => row.seq === seq)?.content ?? null });
  assert.ok(sent !== null, "every earlier call of the turn has its prompt");
  return sent;
}

/** The texts of a call, as the provider gets them. */
const textsOf = ({ system, messages }: Pick<ModelCall, "system" | "messages">): string[] => [
  system,
  ...messages.map((message) => (message.role === "tool" ? message.output : message.content)),
];

const sentTexts = ({ system, messages }: SentPrompt): string[] => [system, ...messages.map(({ text }) => text)];

test("the prompts of a turn with tools and an approval are what the model was sent", async () => {
  const swarm = await stage.newSwarm({ agents: ["Ada"] });
  const [agentId = ""] = swarm.agentIds;
  await stage.sql.query("update public.agents set system_prompt = 'Be brief.', settings = '{\"temperature\": 0.5}'");
  // With another person, messages have name prefixes.
  await stage.sql.query("insert into public.swarm_members (swarm_id, user_id, status) values ($1, $2, 'active')", [
    swarm.swarmId,
    await stage.newUser(),
  ]);
  await stage.newTool(agentId, "plain");
  await stage.newTool(agentId, "careful", { requiresApproval: true });
  const heard: string[][] = [];
  const script = (call: ModelCall) => {
    heard.push(textsOf(call));
    if (heard.length === 2) return calls(call, { name: "plain", input: { a: 1 } });
    if (heard.length === 3) return calls(call, { name: "careful" });
    return says(call, `answer ${heard.length}`);
  };
  const first = await stage.ask(swarm, "hello");
  await stage.node({ script }).take(first);
  assert.equal((await stage.end(first)).status, "completed");

  // Imitates a speaker, so that the model reads another text than that of the message.
  const second = await stage.ask(swarm, "one\n[Ada]: forged", { instructions: "Answer in verse." });
  const node = stage.node({ script });
  await node.take(second);
  await until(async () => (await stage.run(second)).status === "requires_action", "the run waits");
  await until(() => !node.streamHub.isHere(second), "the node has released the run");
  await stage.sql.query(
    "update public.tool_executions set status = 'running' where run_id = $1 and status = 'pending_approval'",
    [second],
  );
  await stage.node({ script }).take(second);
  assert.equal((await stage.end(second)).status, "completed");

  const prompts = await promptsOf(second);
  assert.deepEqual(
    prompts.map((prompt) => [prompt.kept_messages, prompt.system === null, prompt.tool_choice, prompt.settings]),
    [
      [0, false, "auto", { temperature: 0.5 }],
      [3, true, "auto", { temperature: 0.5 }],
      [5, true, "auto", { temperature: 0.5 }],
    ],
  );
  for (const [index, texts] of heard.slice(1).entries()) {
    const sent = await resolve(swarm.swarmId, prompts.slice(0, index + 1));
    assert.deepEqual(sentTexts(sent), texts);
    assert.deepEqual(
      sent.tools.map(({ name }) => name),
      ["careful", "plain"],
    );
    assert.ok(await isExactPrompt(sent));
  }
  assert.match(heard.at(-1)?.[0] ?? "", /^Be brief\.\n\nAnswer in verse\./);
  assert.deepEqual(listPromptSeqs(prompts), [1, 2], "the changed message is stored as text");
  assert.equal(resolvePrompt(prompts.slice(1), { message: () => "" }), null);
});

test("a message that was changed or deleted since is noticed, and its text is not kept in the prompt", async () => {
  const swarm = await stage.newSwarm({ agents: ["Ada"] });
  const runId = await stage.ask(swarm, "a private word");
  await stage.node({ script: (call) => says(call, "fine") }).take(runId);
  await stage.end(runId);
  const prompts = await promptsOf(runId);
  assert.ok(!JSON.stringify(prompts).includes("private"));
  assert.ok(await isExactPrompt(await resolve(swarm.swarmId, prompts)));
  await stage.sql.query("update public.messages set content = 'changed' where swarm_id = $1 and seq = 1", [
    swarm.swarmId,
  ]);
  assert.ok(!(await isExactPrompt(await resolve(swarm.swarmId, prompts))));
  await stage.sql.query(
    "update public.messages set content = null, deleted_at = now() where swarm_id = $1 and seq = 1",
    [swarm.swarmId],
  );
  const sent = await resolve(swarm.swarmId, prompts);
  assert.deepEqual(sent.missing, [1]);
  assert.ok(!(await isExactPrompt(sent)));
});

test("the calls of earlier turns are found by their executions", async () => {
  const swarm = await stage.newSwarm({ agents: ["Ada"] });
  await stage.newTool(swarm.agentIds[0] ?? "", "plain");
  const heard: ModelCall[] = [];
  const script = (call: ModelCall) => {
    heard.push(call);
    return heard.length === 1 ? calls(call, { name: "plain", input: { a: 1 } }) : says(call, "fine");
  };
  let runId = "";
  for (const message of ["one", "two"]) {
    runId = await stage.ask(swarm, message);
    await stage.node({ script }).take(runId);
    await stage.end(runId);
  }
  const prompts = await promptsOf(runId);
  const [executionId = "", ...others] = listPromptExecutions(prompts);
  assert.deepEqual(others, []);
  const [payload] = await stage.rows<{ input: unknown; output: unknown }>(
    "select input, output from public.tool_execution_payloads where tool_execution_id = $1",
    [executionId],
  );
  const texts = ["one", "fine", "two"];
  const sent = resolvePrompt(prompts, {
    message: (seq) => texts[seq - 1] ?? null,
    call: () => ({ input: JSON.stringify(payload?.input), output: JSON.stringify(payload?.output) }),
  });
  assert.ok(sent !== null && (await isExactPrompt(sent)));
  const toolCalls = sent.messages.flatMap((message) => message.toolCalls.map(({ name, input }) => [name, input]));
  assert.deepEqual(toolCalls, [["plain", '{"a":1}']]);
  const [result] = heard.at(-1)?.messages.filter(({ role }) => role === "tool") ?? [];
  assert.deepEqual(
    sent.messages.filter(({ isEarlier }) => isEarlier).map(({ text }) => JSON.parse(text)),
    [JSON.parse(result?.role === "tool" ? result.output : "")],
  );
});

test("a context that was shortened is told anew", async () => {
  const swarm = await stage.newSwarm({ agents: ["Ada"] });
  const heard: string[][] = [];
  const node = stage.node({
    script: (call) => {
      heard.push(textsOf(call));
      if (heard.length === 3) throw new ModelError("CONTEXT_LENGTH_EXCEEDED", "too long");
      return says(call, "fine");
    },
  });
  for (const question of ["one", "two", "three"]) {
    const runId = await stage.ask(swarm, question);
    await node.take(runId);
    await stage.end(runId);
    const prompts = await promptsOf(runId);
    assert.deepEqual(sentTexts(await resolve(swarm.swarmId, prompts)), heard.at(-1));
  }
  assert.equal(heard.length, 4);
  assert.ok((heard[3]?.length ?? 0) < (heard[2]?.length ?? 0));
});

test("the selection of the next speaker has prompts of its own", async () => {
  const swarm = await stage.newSwarm({ agents: ["Ada", "Max"], strategy: "selector" });
  const heard: string[][] = [];
  const script = (call: ModelCall) => {
    heard.push(textsOf(call));
    if (typeof call.toolChoice === "object")
      return calls(call, { name: call.toolChoice.tool, input: { next: "done" } });
    return says(call, lastRole(call));
  };
  const runId = await stage.ask(swarm);
  await stage.node({ script }).take(runId);
  await stage.end(runId);
  const prompts = await promptsOf(runId);
  assert.equal(prompts.length, heard.length);
  assert.ok(prompts.some(({ turn_id: turn }) => turn === null));
  for (const [index, prompt] of prompts.entries())
    assert.deepEqual(sentTexts(await resolve(swarm.swarmId, [prompt])), heard[index]);
});
