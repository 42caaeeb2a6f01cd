import { setTimeout as sleep } from "node:timers/promises";
import { invokeFunction } from "@swarmbase/sdk";
import { readRows } from "swarmbase/extension";
import { cancelRun } from "../cancel-run.ts";
import { decideAndFollow } from "../decide-and-follow.ts";
import { elicitDecisions, readDecisions } from "../elicit-decisions.ts";
import { followRun } from "../follow-run.ts";
import { renderRun, RUN_SCHEMA } from "../render-run.ts";
import {
  ADDITIVE,
  defineTool,
  id,
  list,
  object,
  text,
  type ToolCall,
  type ToolDefinition,
  type ToolResult,
} from "./tool.ts";

const MAX_MESSAGE_CHARACTERS = 32_000;
const MAX_AGENTS = 100;
const SIGN_IN_MS = 30_000;
const SIGN_IN_POLL_MS = 500;
/** Agents can have tools that reach other systems. */
const ASKING = { ...ADDITIVE, openWorldHint: true };
const MESSAGE = text("The message", MAX_MESSAGE_CHARACTERS);

type Target = { readonly agent_id: string } | { readonly swarm_id: string; readonly agent_ids?: string[] };

/** Starts a run, or continues the one whose approvals the client has asked its user about. */
async function ask(body: Target & { readonly message: string }, call: ToolCall): Promise<ToolResult> {
  const decided = readDecisions(call.request);
  const runId = decided?.runId ?? (await start(body, call));
  try {
    if (decided !== null && decided.openedIds.length > 0) await waitForSignIns(decided.openedIds, call);
    const run =
      decided === null || decided.decisions.length === 0
        ? await followRun(runId, call)
        : await decideAndFollow(runId, decided.decisions, call);
    const questions = decided?.isOpen === true ? null : await elicitDecisions(run, call);
    return questions ?? renderRun(run, call.caller);
  } catch (error) {
    if (call.request.signal.aborted) await cancelRun(call.caller, runId);
    throw error;
  }
}

/** Not longer than clients usually wait for a response. A client whose user needs longer asks again. */
async function waitForSignIns(ids: readonly string[], { caller, request }: ToolCall): Promise<void> {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(SIGN_IN_MS)]);
  const query = `select=id&status=eq.pending_approval&id=in.(${ids.join(",")})`;
  while (!signal.aborted && (await readRows(caller.core, "/tool_executions", query)).length > 0)
    await sleep(SIGN_IN_POLL_MS, undefined, { signal }).catch(() => {});
}

async function start(body: Target & { readonly message: string }, { caller, messageId }: ToolCall): Promise<string> {
  const started = await invokeFunction(caller.core, "agent-respond", {
    ...body,
    // The response has the id of the run at once, so that the run can be cancelled.
    background: true,
    ...(messageId !== null && { client_message_id: messageId }),
  });
  return started.run_id;
}

export const ASK_TOOLS: readonly ToolDefinition[] = [
  defineTool<{ agent_id: string; message: string }>({
    name: "ask_agent",
    title: "Ask an agent",
    description:
      "Sends a message to an agent of list_agents and returns its answer. The agent remembers the conversation.",
    scopes: ["run"],
    annotations: ASKING,
    inputSchema: object({ agent_id: id("The agent, see list_agents"), message: MESSAGE }),
    outputSchema: RUN_SCHEMA,
    run: ask,
  }),
  defineTool<{ swarm_id: string; message: string; agent_ids?: string[] }>({
    name: "ask_swarm",
    title: "Ask a swarm",
    description:
      "Posts a message into a swarm and returns the answers of its agents. All members of the swarm see both.",
    scopes: ["run"],
    annotations: ASKING,
    inputSchema: object(
      {
        swarm_id: id("The swarm, see list_swarms"),
        message: MESSAGE,
        agent_ids: {
          ...list(id("An agent of the swarm")),
          minItems: 1,
          maxItems: MAX_AGENTS,
          description: "Only these agents answer",
        },
      },
      ["swarm_id", "message"],
    ),
    outputSchema: RUN_SCHEMA,
    run: ask,
  }),
];
