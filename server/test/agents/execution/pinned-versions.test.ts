import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ModelCall, ModelEvent } from "../../../src/agents/providers/model-port.ts";
import type { AssignedTool, Tools } from "../../../src/agents/tools/tool-port.ts";
import {
  calls,
  lastRole,
  type NewSwarm,
  openRunStage,
  type RunNode,
  type RunStage,
  says,
  succeeded,
} from "../support/run-stage.ts";
import { until } from "../../support/until.ts";

let stage: RunStage;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  stage = await openRunStage({ after: (close) => void closers.push(close) });
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

const OLD_URL = "https://old.example.com/orders";
const SECRET = Buffer.from("sealed").toString("base64");
const FOUND = succeeded("found");

interface Pinned extends NewSwarm {
  readonly agentId: string;
  readonly toolId: string;
  readonly version: number;
}

/** An agent with a tool and guardrails, and the number of its version that has them. */
async function pin(more = "enabled = true"): Promise<Pinned> {
  const swarm = await stage.newSwarm({ agents: ["Ann"] });
  const agentId = swarm.agentIds[0] ?? "";
  const toolId = await stage.newTool(agentId, "find_order");
  await stage.sql.query(
    `update public.tools set description = 'Old.', config = jsonb_build_object('url', $2::text),
       secret_names = array['=' || $3, 'token'], ${more} where id = $1`,
    [toolId, OLD_URL, SECRET],
  );
  await stage.sql.query(
    `insert into public.guardrails (agent_id, name, kind, stage, action, config)
     values ($1, 'Words', 'pattern', 'output', 'rewrite', '{"pattern": "forbidden"}')`,
    [agentId],
  );
  const [row] = await stage.rows<{ version: number }>(
    "select max(number) as version from public.agent_versions where agent_id = $1",
    [agentId],
  );
  return { ...swarm, agentId, toolId, version: row?.version ?? 0 };
}

interface Seen {
  readonly runId: string;
  readonly tools: readonly AssignedTool[];
  readonly descriptions: readonly string[];
}

/** A node whose model calls all tools that are offered, then answers. */
function createNode(): Omit<Seen, "runId"> & { readonly node: RunNode } {
  const tools: AssignedTool[] = [];
  const descriptions: string[] = [];
  const run: Tools["run"] = async (tool) => {
    tools.push(tool);
    return FOUND;
  };
  const script = (call: ModelCall): AsyncIterable<ModelEvent> => {
    if (lastRole(call) === "tool" || call.tools.length === 0) return says(call, "a forbidden answer");
    descriptions.push(...call.tools.map(({ description }) => description));
    return calls(call, ...call.tools.map(({ name }) => ({ name })));
  };
  return { tools, descriptions, node: stage.node({ tools: { run }, script }) };
}

async function ask(swarm: NewSwarm, request: object): Promise<Seen> {
  const { node, ...seen } = createNode();
  const runId = await stage.ask(swarm, "Where is it?", request);
  await node.take(runId);
  await until(async () => /completed|failed|requires_action/.test((await stage.run(runId)).status), "it has stopped");
  return { runId, ...seen };
}

const answerOf = async (runId: string): Promise<unknown> => (await stage.texts(runId)).at(-1)?.content;

/** Stores the secret as REST does, which sends it with the names. */
const editTool = (toolId: string, url: string, more = ""): Promise<unknown> =>
  stage.sql.query(
    `update public.tools set description = 'New.', config = jsonb_build_object('url', $2::text),
       secret_names = array['=' || $3, 'token'] ${more} where id = $1`,
    [toolId, url, SECRET],
  );

test("a run with a version has its tools and guardrails while the owner edits and deletes them", async () => {
  const swarm = await pin();
  const { agentId, toolId, version } = swarm;
  const pinned = { agent_version: version };
  await editTool(toolId, "https://old.example.com/v2", ", timeout_ms = 1000, name = 'look_up'");
  await stage.sql.query("delete from public.guardrails where agent_id = $1", [agentId]);

  const old = await ask(swarm, pinned);
  assert.partialDeepStrictEqual(old.tools, [
    { name: "find_order", config: { url: OLD_URL }, timeout_ms: 30_000, secrets_wrapped: SECRET },
  ]);
  assert.deepEqual([old.descriptions, await answerOf(old.runId)], [["Old."], "a [removed] answer"]);
  const flags = await stage.rows("select guardrail_id from public.message_flags where swarm_id = $1", [swarm.swarmId]);
  assert.equal(flags.length, 1);

  const live = await ask(swarm, {});
  assert.partialDeepStrictEqual(live.tools, [
    { name: "look_up", config: { url: "https://old.example.com/v2" }, timeout_ms: 1000, secrets_wrapped: SECRET },
  ]);
  assert.deepEqual([live.descriptions, await answerOf(live.runId)], [["New."], "a forbidden answer"]);

  await editTool(toolId, "https://new.example.com/", ", enabled = false");
  const [moved] = (await ask(swarm, pinned)).tools;
  assert.deepEqual([moved?.config, moved?.secrets_wrapped], [{ url: OLD_URL }, null]);
  assert.deepEqual((await ask(swarm, {})).tools, []);

  await stage.sql.query("delete from public.tools where id = $1", [toolId]);
  assert.deepEqual((await ask(swarm, pinned)).tools, []);
});

test("a run with a version continues on another node with the tools of the version", async () => {
  const swarm = await pin("requires_approval = true");
  const { runId } = await ask(swarm, { agent_version: swarm.version });
  assert.equal((await stage.run(runId)).status, "requires_action");
  await editTool(swarm.toolId, "https://new.example.com/", ", requires_approval = false");
  await stage.sql.query("update public.tool_executions set status = 'running' where run_id = $1", [runId]);
  const { node, tools } = createNode();
  const take = (): Promise<boolean> =>
    node.take(runId).then(
      () => true,
      () => false,
    );
  await until(take, "another node takes the run");
  assert.equal((await stage.end(runId)).status, "completed");
  assert.deepEqual(
    tools.map(({ config }) => config),
    [{ url: OLD_URL }],
  );
  assert.equal(await answerOf(runId), "a [removed] answer");
});

test("a tool that requires approval now requires it in an older version too", async () => {
  const swarm = await pin();
  const pinned = { agent_version: swarm.version };
  await stage.sql.query("update public.tools set requires_approval = true where id = $1", [swarm.toolId]);
  const waiting = await ask(swarm, pinned);
  assert.deepEqual([(await stage.run(waiting.runId)).status, waiting.tools], ["requires_action", []]);
});

test("another tool that requires approval for the same server makes an older version require it", async () => {
  const swarm = await pin();
  await editTool(swarm.toolId, "https://new.example.com/");
  await stage.sql.query(
    `insert into public.tools (owner_id, name, description, config, secret_names, requires_approval)
     values ($1, 'pay', 'Pays.', jsonb_build_object('url', $2::text), array['=' || $3, 'token'], true)`,
    [swarm.ownerId, OLD_URL, SECRET],
  );
  const waiting = await ask(swarm, { agent_version: swarm.version });
  assert.equal((await stage.run(waiting.runId)).status, "requires_action");
});

test("a webhook guardrail of a version fails the turn when its row and with it the secret is deleted", async () => {
  const swarm = await pin();
  const guardrail = `insert into public.guardrails (agent_id, name, kind, stage, config)
    values ($1, 'Hook', 'webhook', 'input', '{"url": "https://checks.example.com/"}')`;
  await stage.sql.query(guardrail, [swarm.agentId]);
  await stage.sql.query("delete from public.guardrails where agent_id = $1", [swarm.agentId]);
  const { runId } = await ask(swarm, { agent_version: swarm.version + 1 });
  assert.equal((await stage.run(runId)).status, "failed");
  assert.equal(await answerOf((await ask(swarm, {})).runId), "a forbidden answer");
});
