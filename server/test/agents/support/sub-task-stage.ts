import type { TestContext } from "node:test";
import type { ModelCall, ModelEvent } from "../../../src/agents/providers/model-port.ts";
import { openToolsForTest } from "../../support/open-tools-for-test.ts";
import { until } from "../../support/until.ts";
import {
  calls,
  lastRole,
  type NewSwarm,
  type NodeOptions,
  type RunNode,
  type RunStage,
  says,
  succeeded,
} from "./run-stage.ts";

type Script = NonNullable<NodeOptions["script"]>;

/** A swarm whose agent has the swarm of other agents as its tool. */
export interface Outer extends NewSwarm {
  readonly toolId: string;
  /** The swarm that the tool names. */
  readonly template: NewSwarm;
}

interface OuterOptions {
  readonly agents?: readonly string[];
  readonly strategy?: string;
  /** Of the swarm that the tool names. */
  readonly settings?: unknown;
  readonly budget?: unknown;
  readonly requiresApproval?: boolean;
}

/** The tool of the agent is called `research`, the agents of the swarm are called `Ida` unless they are named. */
export async function openOuter(stage: RunStage, options: OuterOptions = {}): Promise<Outer> {
  const { agents = ["Ida"], strategy = "round_robin", settings = {} } = options;
  const outer = await stage.newSwarm({ agents: ["Otto"] });
  const template = await stage.newSwarm({ agents, strategy, settings, ownerId: outer.ownerId });
  const toolId = await addSwarmTool(stage, outer.agentIds[0] ?? "", template.swarmId, options);
  return { ...outer, toolId, template };
}

export async function addSwarmTool(
  stage: RunStage,
  agentId: string,
  swarmId: string,
  { name = "research", budget, requiresApproval = false }: OuterOptions & { readonly name?: string } = {},
): Promise<string> {
  const toolId = await stage.newTool(agentId, name, { kind: "swarm", requiresApproval });
  const config = { swarm_id: swarmId, ...(budget !== undefined && { budget }) };
  await stage.rows("update public.tools set config = $2 where id = $1", [toolId, JSON.stringify(config)]);
  return toolId;
}

/** Calls the tool `research` once for each message, then says what came of it. Agents without this tool do as `others` says. */
export function delegates(
  messages: readonly string[] = ["look it up"],
  others: Script = (call) => says(call, `did ${askedOf(call)}`),
): (call: ModelCall) => AsyncGenerator<ModelEvent> {
  return async function* (call) {
    if (!call.tools.some(({ name }) => name === "research")) return yield* others(call);
    if (lastRole(call) !== "tool")
      return yield* calls(call, ...messages.map((message) => ({ name: "research", input: { message } })));
    const results = call.messages.flatMap((message) => (message.role === "tool" ? [message.output] : []));
    return yield* says(call, results.slice(-messages.length).join(" | "));
  };
}

/** Calls a tool, then says its result. */
export function uses(name: string, input: unknown = {}): Script {
  return (call) => {
    const result = call.messages.at(-1);
    return result?.role === "tool" ? says(call, result.output) : calls(call, { name, input });
  };
}

/** What the model is asked, without the names of who has asked. */
export function askedOf({ messages }: ModelCall): string {
  const last = messages.findLast(({ role }) => role === "user");
  return last?.role === "user" ? last.content.replaceAll(/^\[[^\]]*\]: /gm, "") : "";
}

/** A node whose tools of the kinds `swarm` and `builtin` are the real ones. The others return their names. */
export function subTaskNode(t: Pick<TestContext, "after">, stage: RunStage, options: NodeOptions = {}): RunNode {
  const { runAsking } = openToolsForTest(t, { clock: { now: () => new Date() } });
  const isReal = (kind: string): boolean => kind === "swarm" || kind === "builtin";
  return stage.node({
    script: delegates(),
    ...options,
    executor: { times: { sweepMs: 200, sessionMs: 3_600_000 }, ...options.executor },
    tools: {
      run: async (tool, ...given) => (isReal(tool.kind) ? await runAsking(tool, ...given) : succeeded(tool.name)),
      ...options.tools,
    },
  });
}

export interface SubTask {
  readonly swarm_id: string;
  readonly run_id: string;
  readonly parent_run_id: string;
  readonly tool_execution_id: string;
  readonly depth: number;
  readonly payer_id: string;
  readonly reader_id: string | null;
  readonly status: string;
  readonly stop_reason: string | null;
}

/** The sub-tasks of a run, the first one first. */
export function listSubTasks(stage: RunStage, runId: string): Promise<SubTask[]> {
  const text = `select t.*, r.status, r.stop_reason from private.sub_tasks t join public.runs r on r.id = t.run_id
    where t.parent_run_id = $1 order by t.tool_execution_id`;
  return stage.rows(text, [runId]);
}

/** Waits until a run has begun a number of sub-tasks. */
export async function subTasksOf(stage: RunStage, runId: string, count = 1): Promise<SubTask[]> {
  await until(async () => (await listSubTasks(stage, runId)).length >= count, "the sub-tasks have begun");
  return await listSubTasks(stage, runId);
}

/** The state of the calls of a run, the first one first. */
export function callsOf(
  stage: RunStage,
  runId: string,
): Promise<{ id: string; status: string; error: { code: string; message: string } | null; output: unknown }[]> {
  const text = `select x.id, x.status, x.error, p.output from public.tool_executions x
    left join public.tool_execution_payloads p on p.tool_execution_id = x.id where x.run_id = $1 order by x.id`;
  return stage.rows(text, [runId]);
}
