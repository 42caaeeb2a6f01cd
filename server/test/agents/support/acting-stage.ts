import type { OpenStarter, ToolCallContext, ToolOutcome } from "../../../src/agents/tools/tool-port.ts";
import { calls, lastRole, type RunNode, type RunStage, says, succeeded } from "./run-stage.ts";

const DONE = succeeded("RESULT-CANARY");

export interface Conversation {
  readonly swarm: { readonly swarmId: string; readonly ownerId: string };
  readonly agentId: string;
  readonly ownerId: string;
  readonly toolId: string;
}

export interface Responded {
  readonly runId: string;
  readonly node: RunNode;
  /** The tools that the model saw. */
  offered(): readonly string[];
  /** The messages of the first call of the model. */
  prompt(): string;
  /** What each call of the tool has opened. */
  readonly opened: readonly (OpenStarter | Error)[];
}

interface RespondOptions {
  onCall?(context: ToolCallContext, runId: string): Promise<void>;
  readonly outcome?: ToolOutcome;
  readonly request?: unknown;
}

/** A swarm of an asker with an agent of somebody else, which has the tool `orders` that acts for the starter. */
export async function openConversation(
  stage: RunStage,
  { isVouched = true, isAssignmentVouched = true, actsForAskers = true, requiresApproval = false } = {},
): Promise<Conversation> {
  const ownerId = await stage.newUser();
  const agentId = await stage.newAgent(ownerId, "Ada");
  const toolId = await stage.newTool(agentId, "orders", { kind: "rpc", requiresApproval });
  await stage.rows("update public.agents set acts_for_askers = $2 where id = $1", [agentId, actsForAskers]);
  await stage.rows("update public.tools set is_vouched = $2 where id = $1", [toolId, isVouched]);
  await stage.rows("update public.agent_tools set is_vouched = $2 where tool_id = $1", [toolId, isAssignmentVouched]);
  const swarm = await stage.newSwarm({ agents: [] });
  await addAgent(stage, swarm.swarmId, agentId);
  return { swarm, agentId, ownerId, toolId };
}

/** Adds an agent that everybody may ask. */
export async function addAgent(stage: RunStage, swarmId: string, agentId: string): Promise<void> {
  await stage.rows("insert into public.agent_grants (agent_id, audience) values ($1, 'everyone')", [agentId]);
  await stage.rows("insert into public.swarm_agents (swarm_id, agent_id) values ($1, $2)", [swarmId, agentId]);
}

export async function addMember(stage: RunStage, swarmId: string, userId: string): Promise<void> {
  const text = "insert into public.swarm_members (swarm_id, user_id, role, status) values ($1, $2, 'admin', 'active')";
  await stage.rows(text, [swarmId, userId]);
}

/** Asks the agents of the swarm, each of which calls the tool `orders` if it has it. */
export async function respond(
  stage: RunStage,
  swarm: Conversation["swarm"],
  { onCall = async () => {}, outcome = DONE, request = {} }: RespondOptions = {},
): Promise<Responded> {
  let offered: readonly string[] = [];
  let prompt = "";
  const opened: (OpenStarter | Error)[] = [];
  const runId = await stage.ask(swarm, "hello", request);
  const node = stage.node({
    script: async function* (call) {
      const names = call.tools.map(({ name }) => name);
      prompt ||= JSON.stringify(call.messages);
      if (names.includes("orders") || offered.length === 0) offered = names;
      if (lastRole(call) === "tool" || !names.includes("orders")) yield* says(call, "done");
      else yield* calls(call, { name: "orders", input: { q: "INPUT-CANARY" } });
    },
    tools: {
      async run(_tool, _input, context) {
        await onCall(context, runId);
        const opening = context.starter?.open() ?? Promise.reject(new Error("no starter"));
        opened.push(await opening.catch((error: unknown) => error as Error));
        return outcome;
      },
    },
  });
  await node.take(runId);
  return { runId, node, offered: () => offered, prompt: () => prompt, opened };
}

/** Decides on all calls of the run that wait. */
export async function decide(stage: RunStage, runId: string, userId: string, approved = true): Promise<void> {
  const pending = await stage.rows<{ id: string }>(
    "select id from public.tool_executions where run_id = $1 and status = 'pending_approval'",
    [runId],
  );
  const decisions = pending.map(({ id }) => ({ tool_execution_id: id, approved }));
  const call = { run_id: runId, is_service: false, user_id: userId, decisions };
  await stage.rows("select private.decide_tool_executions($1)", [JSON.stringify(call)]);
}
